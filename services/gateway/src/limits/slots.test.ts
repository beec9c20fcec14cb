import { describe, expect, it } from '@jest/globals';
import type { ApiError } from '@hindsight/kernel/errors.ts';
import type { Project } from '@hindsight/projects/project.ts';
import { EVENT_STREAMS, LISTS, Slots, SNAPSHOTS, type SlotKind } from './slots.ts';
import { freeProjectByKey } from '@hindsight/projects/test/support/free-project.ts';

/** Enters as often as it may. @returns how often, and the refusal */
function fill(slots: Slots, next: (n: number) => [Project, string]): [number, ApiError] {
  for (let n = 0; ; n++) {
    try {
      slots.enter(...next(n));
    } catch (error) {
      return [n, error as ApiError];
    }
  }
}

describe.each([SNAPSHOTS, EVENT_STREAMS, LISTS])('places for $name', (kind: SlotKind) => {
  it('are shared out: by project, account and address', () => {
    const shares: [number, (n: number) => [Project, string], string][] = [
      [kind.most, (n) => [freeProjectByKey('one'), `10.0.0.${n}`], 'a project'],
      [
        kind.places.account,
        (n) => [freeProjectByKey(`p${n}`, { ownerId: 'ann' }), `10.0.0.${n}`],
        'an account',
      ],
      [kind.places.address, (n) => [freeProjectByKey(`p${n}`), '10.0.0.1'], 'an address'],
      // One client has a /64.
      [kind.places.address, (n) => [freeProjectByKey(`p${n}`), `2001:db8::${n.toString(16)}`], 'an address'],
    ];
    for (const [most, next, whose] of shares) {
      const [entered, { statusCode, message }] = fill(new Slots(kind), next);
      expect([entered, statusCode]).toEqual([most, 429]);
      expect(message).toContain(`${whose} may have ${most}`);
    }
  });

  it('are few for an address with the demo key, and not the demo’s all', () => {
    const demo = freeProjectByKey('demo', { demo: true });
    expect(fill(new Slots(kind), () => [demo, '10.0.0.1'])[0]).toBe(kind.demo.address);
    const slots = new Slots(kind);
    expect(fill(slots, (n) => [demo, `10.0.${n}.1`])[0]).toBe(kind.demo.most);
    slots.enter(freeProjectByKey('one'), '10.0.0.1');
    expect(kind.demo.most).toBeLessThanOrEqual(kind.places.all / 8);
  });

  it('are left for others by one account, and a 503 where all are taken', () => {
    const slots = new Slots(kind);
    fill(slots, (n) => [freeProjectByKey(`p${n}`, { ownerId: 'ann' }), `10.0.0.${n}`]);
    slots.enter(freeProjectByKey('other', { ownerId: 'bob' }), '10.0.1.1');
    const [, { statusCode, headers }] = fill(slots, (n) => [
      freeProjectByKey(`q${n}`),
      `10.1.${n >> 8}.${n % 256}`,
    ]);
    expect([statusCode, headers['retry-after']]).toEqual([503, '5']);
  });

  it('are free again once each that was left', () => {
    const slots = new Slots(kind);
    const leave = Array.from({ length: kind.most }, () => slots.enter(freeProjectByKey('one'), '10.0.0.1'));
    leave[0]!();
    leave[0]!();
    expect(fill(slots, () => [freeProjectByKey('one'), '10.0.0.1'])[0]).toBe(1);
    for (let n = 0; n < kind.places.address; n++) slots.enter(freeProjectByKey('two'), '10.0.0.2')();
    expect(fill(slots, () => [freeProjectByKey('two'), '10.0.0.2'])[0]).toBe(kind.most);
  });

  it('are shared among gateways, at least one each', () => {
    expect(fill(new Slots(kind, () => 2), () => [freeProjectByKey('one'), '10.0.0.1'])[0]).toBe(
      Math.round((1.2 * kind.most) / 2),
    );
    expect(fill(new Slots(kind, () => 100), () => [freeProjectByKey('one'), '10.0.0.1'])[0]).toBe(1);
  });
});
