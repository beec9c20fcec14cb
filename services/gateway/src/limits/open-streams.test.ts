import { beforeEach, describe, expect, it } from '@jest/globals';
import { unauthorized, unavailable } from '@hindsight/kernel/errors.ts';
import type { FoundByKey } from '@hindsight/projects/ports.ts';
import { OpenStreams, type Opening } from './open-streams.ts';

const MINUTE_MS = 60_000;

let time: number;
let streams: OpenStreams;
let ended: string[];
beforeEach(() => {
  [time, ended] = [0, []];
  streams = new OpenStreams({ now: () => time });
});

const found = (keyExpiresAt: number | null = null, expiresAt: number | null = null, id = 'one') =>
  ({ id, keyExpiresAt, key: { expiresAt } }) as FoundByKey;

/** Enters a stream whose key keeps working. */
function enter(opening: Partial<Opening> = {}): { checks: number; leave: () => void } {
  const seen = { checks: 0, leave: () => undefined as void };
  const { project = found() } = opening;
  seen.leave = streams.enter({
    project,
    identifyAgain: () => {
      seen.checks += 1;
      return Promise.resolve(project);
    },
    end: (why) => void ended.push(why),
    ...opening,
  });
  return seen;
}

async function at(milliseconds: number): Promise<void> {
  time = milliseconds;
  await streams.look();
}

describe('an open stream', () => {
  it('ends when its time is over, once', async () => {
    enter({ lifetimeMs: 15 * MINUTE_MS });
    enter();
    await at(15 * MINUTE_MS - 1);
    expect(ended).toEqual([]);
    await at(15 * MINUTE_MS);
    await at(16 * MINUTE_MS);
    expect(ended).toEqual(['over']);
  });

  it('has its key checked when it has begun and each minute, and ends when it is refused', async () => {
    const seen = enter();
    await at(0);
    await at(MINUTE_MS - 1);
    expect(seen.checks).toBe(1);
    await at(MINUTE_MS);
    await at(2 * MINUTE_MS - 1);
    expect([seen.checks, ended]).toEqual([2, []]);
    enter({ identifyAgain: () => Promise.reject(unauthorized('key_invalid')) });
    await at(2 * MINUTE_MS - 1);
    expect([seen.checks, ended]).toEqual([2, ['refused']]);
  });

  it.each([
    ['its last day', found(null, 500)],
    ['its rotation', found(500, null)],
  ])('has its key checked at the end that %s sets', async (_end, project) => {
    const seen = enter({ project });
    await at(0);
    await at(499);
    expect(seen.checks).toBe(1);
    await at(500);
    expect(seen.checks).toBe(2);
  });

  it('has its key checked at an end that was set while it is open', async () => {
    let project = found();
    let checks = 0;
    enter({ identifyAgain: () => Promise.resolve(((checks += 1), project)) });
    project = found(500);
    await streams.changed('one');
    await at(499);
    expect(checks).toBe(1);
    await at(500);
    expect(checks).toBe(2);
  });

  it('has its key checked when its project changes, and no other', async () => {
    const [own, other] = [enter(), enter({ project: found(null, null, 'other') })];
    await streams.changed('one');
    expect([own.checks, other.checks]).toEqual([1, 0]);
  });

  it('stays while its key cannot be checked, and is checked again soon', async () => {
    let answer = (): Promise<FoundByKey> => Promise.reject(unavailable('store_unavailable', 'away'));
    enter({ identifyAgain: () => answer() });
    await at(MINUTE_MS);
    expect(ended).toEqual([]);
    answer = () => Promise.reject(unauthorized('key_invalid'));
    await at(MINUTE_MS + 4_999);
    expect(ended).toEqual([]);
    await at(MINUTE_MS + 5_000);
    expect(ended).toEqual(['refused']);
  });

  it('ends where a client that is waited for moves less than 1 KiB a second', async () => {
    let moved = 0;
    enter({ progress: () => ({ moved, isWaitedFor: true }) });
    // As slow as allowed for an hour, then only a byte now and then.
    for (let second = 1; second <= 3_600; second++) {
      moved += 1_024;
      await at(second * 1_000);
    }
    for (let second = 3_601; second <= 3_660; second++) {
      moved += second % 14 === 0 ? 1 : 0;
      await at(second * 1_000);
    }
    expect(ended).toEqual([]);
    await at(3_662_000);
    expect(ended).toEqual(['slow']);
  });

  it('ends where its client stops, however much it has moved before', async () => {
    enter({ progress: () => ({ moved: 100_000_000, isWaitedFor: true }) });
    let moved = 0;
    enter({ progress: () => ({ moved, isWaitedFor: true }) });
    moved = 100_000_000;
    for (let second = 1; second <= 61; second++) await at(second * 1_000);
    expect(ended).toEqual(['slow']);
    await at(62_000);
    expect(ended).toEqual(['slow', 'slow']);
  });

  it('ends where its client stops, also when the clock is set back', async () => {
    enter({ progress: () => ({ moved: 0, isWaitedFor: true }) });
    await at(60_000);
    await at(0);
    expect(ended).toEqual([]);
    await at(1_000);
    expect(ended).toEqual(['slow']);
  });

  it('is not ended by a check that comes back after it was left', async () => {
    const answer = Promise.withResolvers<FoundByKey>();
    const { leave } = enter({ identifyAgain: () => answer.promise });
    const checked = streams.changed('one');
    leave();
    answer.reject(unauthorized('key_invalid'));
    await checked;
    expect(ended).toEqual([]);
  });

  it('may take any time where it is the service that is waited for', async () => {
    enter({ progress: () => ({ moved: 0, isWaitedFor: false }) });
    for (let minute = 1; minute <= 600; minute++) await at(minute * MINUTE_MS);
    expect(ended).toEqual([]);
  });

  it('ends at the stop, also when it opens later, but not once it was left', () => {
    enter().leave();
    enter();
    streams.stop();
    enter();
    expect(ended).toEqual(['stopped', 'stopped']);
  });
});
