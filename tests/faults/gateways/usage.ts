/** Counts equal answers, whichever process dies under load; and behaviour when a dependency is unavailable for longer. */
import { describe, expect, it } from '@jest/globals';
import { rounds } from '@hindsight/kernel/test/support/rounds.ts';
import { until, untilItWorks } from '@hindsight/kernel/test/support/until.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { expelMembers } from '../../support/expel-members.ts';
import { setFileSize } from '../../support/file-size.ts';
import { CHEAP_PATH } from '../../support/gateway-fleet.ts';
import { hammer } from '../../support/hammer.ts';
import { answerMixed, loadMixed } from '../../support/mixed-load.ts';
import type { World } from './world.ts';

const REQUESTS = 1_500 * rounds(1);
const LIMIT_OF_MIXED = 1_200 * rounds(1);
const CONNECTIONS = 64;
/** In these tests a hanging answer is a failure, a slow one on a busy machine is not. */
const PATIENCE_MS = 60_000;
const SEEN_WITHIN_MS = 600_000;

/** To be called in a `describe`. */
export function describeUsage(world: () => World): void {
  const ask = (key: string, gateway = 0, path = CHEAP_PATH): Promise<Response> =>
    fetch(world().fleet.urls[gateway]! + path, {
      headers: { 'x-api-key': key },
      signal: AbortSignal.timeout(PATIENCE_MS),
    });

  /** Repeats until the answer has this status, or for some minutes. @returns the last answer */
  const untilStatus = async (key: string, status: number, gateway = 0): Promise<number> => {
    let last = 0;
    for (const end = Date.now() + SEEN_WITHIN_MS; Date.now() < end; await sleep(250)) {
      const response = await ask(key, gateway);
      last = response.status;
      await response.text();
      if (last === status) break;
    }
    return last;
  };

  /** Units that gateways have leased for a project, spent or not. */
  const leased = async (project: string): Promise<number> => {
    const shown = await world().fleet.admin('usage', 'show', project, '--exact', '--json');
    const { requests, heldByGateways } = JSON.parse(shown) as {
      requests: { used: number };
      heldByGateways: number;
    };
    return requests.used + heldByGateways;
  };

  describe('equals the answers below 500 and the interrupted ones, after kill -9 under load of', () => {
    it.each<[name: string, kill: (world: World) => Promise<void>]>([
      ['a gateway', ({ fleet }) => fleet.gateways[0]!.killAndRestart()],
      [
        'the metering service',
        ({ fleet, kafka }) => fleet.metering.killAndRestart(() => expelMembers(kafka.brokers)),
      ],
      ['Kafka', ({ kafka }) => kafka.kill().then(() => kafka.restart())],
    ])('%s', async (name, kill) => {
      const { fleet } = world();
      const { key, project } = await fleet.createProject(1_000_000);
      const load = { urls: fleet.urls, path: CHEAP_PATH, key, connections: CONNECTIONS };
      let killed: Promise<void> | undefined;
      const onAnswer = (answers: number): void => {
        if (answers >= REQUESTS / 3) killed ??= kill(world());
      };
      const during = await hammer({ ...load, requests: REQUESTS, onAnswer });
      await killed;
      // Those that were restarted count on.
      const after = await hammer({ ...load, requests: REQUESTS / 10 });
      const answered = (during.statuses[200] ?? 0) + (after.statuses[200] ?? 0);
      await fleet.settled(key, answered);
      const shown = async (): Promise<number> => {
        const text = await fleet.admin('usage', 'show', project, '--json');
        return (JSON.parse(text) as { requests: { used: number } }).requests.used;
      };
      let counted = NaN;
      await until('the operator and the project see the same', async () => {
        counted = await fleet.used(key);
        return counted === (await shown());
      });
      const cutOff = during.cutOff + after.cutOff;
      const cutOffAndCounted = counted - answered;
      const statuses = [during.statuses, after.statuses];
      const line = { killed: name, statuses, cutOff, answered, counted, cutOffAndCounted };
      process.stdout.write(`${JSON.stringify(line)}\n`);
      expect(killed).toBeDefined();
      expect(after.statuses[200] ?? 0).toBeGreaterThan(0);
      expect(cutOffAndCounted).toBeGreaterThanOrEqual(0);
      expect(cutOffAndCounted).toBeLessThanOrEqual(Math.min(cutOff, CONNECTIONS));
    });
  });

  it('is what clients saw, and never over the limit, with mixed weights and streams, after kill -9 of a gateway', async () => {
    const limit = LIMIT_OF_MIXED;
    const { fleet } = world();
    const { key } = await fleet.createProject(limit);
    const { answer } = fleet;
    fleet.answer = answerMixed;
    try {
      let killed: Promise<void> | undefined;
      const load = await loadMixed(fleet.urls, key, (limit * 6) / 5, (answers) => {
        if (answers >= limit / 8) killed ??= fleet.gateways[0]!.killAndRestart();
      });
      await killed;
      // The killed gateway's lease is found again, and the last units are spent one by one.
      let singles = 0;
      for (const end = Date.now() + SEEN_WITHIN_MS; Date.now() < end; await sleep(500)) {
        const { urls } = fleet;
        const { statuses } = await hammer({ urls, path: CHEAP_PATH, key, requests: 90, connections: 6 });
        singles += statuses[200] ?? 0;
        if (statuses[200] === undefined && (await fleet.used(key)) === limit) break;
      }
      const counted = await fleet.settled(key, limit);
      process.stdout.write(`mixed weights: ${JSON.stringify({ ...load, singles, counted })}\n`);
      expect(killed).toBeDefined();
      expect(counted).toBe(limit);
      const seen = load.seen + singles;
      expect(seen).toBeLessThanOrEqual(counted);
      expect(counted - seen).toBeLessThanOrEqual(load.cutOffMost);
    } finally {
      fleet.answer = answer;
    }
  });

  it('is refused with a 503 while the disk is not writable, and loses nothing', async () => {
    const { fleet } = world();
    const { key } = await fleet.createProject(1_000_000);
    const [gateway] = fleet.gateways;
    const counts = { first: 1, before: 0, during: 0, after: 0 };
    /**
     * @param insist true to retry a 503: units come from the ledger, which may be slow on a busy machine
     */
    const send = async (insist: boolean): Promise<number> => {
      const { statuses } = await hammer({
        urls: [gateway!.url],
        path: CHEAP_PATH,
        key,
        requests: 200,
        connections: 8,
        insist,
      });
      expect(Object.keys(statuses).every((status) => status === '200' || status === '503')).toBe(true);
      return statuses[200] ?? 0;
    };
    expect(await untilStatus(key, 200)).toBe(200);
    counts.before = await send(true);
    setFileSize(gateway!.pid, 0);
    try {
      counts.during = await send(false);
      const refused = await ask(key);
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '2']);
      expect(await refused.json()).toMatchObject({ message: 'Usage cannot be recorded at the moment.' });
      expect(await (await fetch(`${gateway!.url}/readyz`)).json()).toMatchObject({
        status: 'not ready',
        parts: expect.arrayContaining([{ name: 'usage spool', ok: false, detail: 'cannot be written' }]),
      });
    } finally {
      setFileSize(gateway!.pid, 'unlimited');
    }
    expect(await untilStatus(key, 200)).toBe(200);
    counts.after = (await send(true)) + 1;
    const counted = await fleet.settled(key, counts.first + counts.before + counts.after);
    process.stdout.write(`a full disk: ${JSON.stringify({ ...counts, counted })}\n`);
    expect(counts).toEqual({ first: 1, before: 200, during: 0, after: 201 });
    expect(counted).toBe(402);
  });

  it('continues for known keys while MongoDB is unavailable, as long as leased units last; then 503 without hanging', async () => {
    const { fleet, mongodb } = world();
    const { key, project } = await fleet.createProject(100_000);
    const other = await fleet.createProject(100_000);
    // Requests come until the gateway has a batch of units, however fast this machine is.
    expect(await untilStatus(key, 200)).toBe(200);
    let asked = 1;
    while ((await leased(project)) - asked < 150) {
      const statuses = await Promise.all(Array.from({ length: 50 }, async () => (await ask(key)).status));
      // Units come from the ledger, which may be slow on a busy machine.
      expect(statuses.filter((status) => status !== 200 && status !== 503)).toEqual([]);
      asked += statuses.filter((status) => status === 200).length;
    }
    const statuses: number[] = [];
    await mongodb.pause();
    let slowest = 0;
    try {
      const begun = Date.now();
      const askTimed = async (): Promise<number> => {
        const before = performance.now();
        const response = await ask(key);
        await response.text();
        slowest = Math.max(slowest, performance.now() - before);
        return response.status;
      };
      // Some at a time: a batch may be of thousands.
      while (!statuses.includes(503) && Date.now() - begun < SEEN_WITHIN_MS)
        statuses.push(...(await Promise.all(Array.from({ length: 10 }, askTimed))));
      // An unknown key, which cannot be looked up.
      const unknown = await ask(other.key);
      expect([unknown.status, unknown.headers.get('retry-after')]).toEqual([503, '2']);
    } finally {
      mongodb.resume();
    }
    const served = statuses.filter((status) => status === 200).length;
    // Including a lease that was under way when it paused.
    let atHand = NaN;
    await untilItWorks('the ledger is read', async () => (atHand = (await leased(project)) - asked));
    process.stdout.write(
      `MongoDB unavailable: ${served} served from ${atHand} units at hand, slowest ${slowest.toFixed()} ms\n`,
    );
    expect([...new Set(statuses)]).toEqual([200, 503]);
    expect(served).toBeGreaterThan(100);
    expect(served).toBeLessThanOrEqual(atHand);
    expect(await untilStatus(key, 200)).toBe(200);
    expect(await untilStatus(other.key, 200)).toBe(200);
    const counted = await fleet.settled(key, asked + served + 1);
    expect(counted).toBe(asked + served + 1);
  });
}
