/**
 * No text costs the event loop much, in any input: `npm run bench hostile` in short. Every input and every text is tried, but each
 * text only in one of ten inputs that take it; the benchmark tries all of them.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { runPortal, type RunningPortal } from '@hindsight/portal/test/support/run-portal.ts';
import { sharedDevchain } from '@hindsight/tools/servers/shared-devchain.ts';
import { hostileInputs, inputsWithout, smallInputs } from '../support/hostile/inputs.ts';
import { OPERATIONS, operationsOf } from '../support/hostile/operations.ts';
import type { HostileInput } from '../support/hostile/requests.ts';
import { formsWithout } from '../support/hostile/portal-inputs.ts';
import { startTarget, type Target } from '../support/hostile/target.ts';

/**
 * Ten times the goals of the benchmark, and thrice that of bodies, in milliseconds of processor time; more while the machine
 * is slow.
 */
const MAX_MS = { head: 20, order: 40, body: 60 };
/** Garbage collection makes a try dearer, a costly text makes all of them dear: the least counts. */
const TRIES = 10;
/** Milliseconds of processor time for so many of each plain GET, on the machine that the limits were written on. */
const PLAIN = { count: 5, ms: 7 };
const TOGETHER = 5;
/** A text is tried in one of so many inputs that take it. */
const ONE_IN = 10;
const WARM_UP = 20;
/**
 * Twice the benchmark's goal for bodies: the limit of their cost as a multiple of a good request's of as many
 * units.
 */
const TIMES_GOOD = 6;
/** Thrice the benchmark's goal for a turn of the event loop, in which nothing else is answered. */
const MAX_TURN_MS = 60;
const NOWHERE = { origin: 'http://localhost', project: '/dashboard/projects/none' };

describe('A hostile text costs less than 20 ms of processor time, an order 40', () => {
  let target: Target;
  let inputs: HostileInput[];

  beforeAll(async () => {
    target = await startTarget((await sharedDevchain(process.env)).url);
    inputs = hostileInputs(target.portal);
    // Warms up: the first calls compile the code.
    for (const input of smallInputs(target.portal))
      await target.cost(Array.from({ length: WARM_UP }, () => input));
  });
  afterAll(() => target.stop());

  /**
   * Times by which the machine is slower, at this moment, than the one of the limits; at least 1. Processor time grows, too, where
   * machines share processors.
   */
  async function slowness(): Promise<number> {
    const plain = smallInputs(target.portal).filter(({ input }) => input === 'GET');
    const { ms } = await target.cost(
      plain.flatMap((input) => Array.from({ length: PLAIN.count }, () => input)),
    );
    return Math.max(1, ms / PLAIN.ms);
  }

  /** The inputs of a part that are too dear. Together they mostly cost less than one of them may. */
  async function dearOf(some: readonly HostileInput[]): Promise<string[]> {
    const [{ input = '', text = '', isOrder = false } = {}] = some;
    for (let tries = 0; tries < (some.length === 1 ? TRIES : 1); tries++) {
      const { ms, statuses } = await target.cost(some);
      expect({ input, text, failures: statuses.filter((status) => status >= 500) }).toEqual({
        input,
        text,
        failures: [],
      });
      const most = isOrder ? MAX_MS.order : MAX_MS.head;
      if (ms <= most || ms / (await slowness()) <= most) return [];
    }
    if (some.length === 1) return [`${input}: ${text}`];
    const found: string[] = [];
    for (const one of some) found.push(...(await dearOf([one])));
    return found;
  }

  it.each(['gateway', 'portal'] as const)('at the %s', async (server) => {
    const dear: string[] = [];
    const own = shareOf(inputs.filter((input) => input.server === server && !input.good));
    for (const kind of [own.filter(({ isOrder }) => isOrder), own.filter(({ isOrder }) => !isOrder)])
      for (let at = 0; at < kind.length; at += TOGETHER)
        dear.push(...(await dearOf(kind.slice(at, at + TOGETHER))));
    expect(dear).toEqual([]);
  });

  it('and a body no more than some good requests of as many units, and 60 ms in one turn', async () => {
    const good = new Map<string, number>();
    const goodOf = async (input: HostileInput): Promise<number> => {
      const key = `${input.of!.join(' ')} ${input.good!({ host: '', headers: [] }).length}`;
      if (!good.has(key))
        good.set(key, (await leastOf({ ...input, bytes: input.good! }, [200], { ms: 0, turnMs: 0 })).ms);
      return good.get(key)!;
    };
    const dear: string[] = [];
    for (const input of inputs.filter(({ good }) => good)) {
      // Below what any body may cost there is nothing to compare.
      const any = { ms: MAX_MS.body, turnMs: MAX_TURN_MS };
      const first = await leastOf(input, undefined, any, 1);
      if (first.ms <= any.ms && first.turnMs <= any.turnMs) continue;
      const most = { ...any, ms: Math.max(TIMES_GOOD * (await goodOf(input)), MAX_MS.body) };
      const { ms, turnMs } = await leastOf(input, undefined, most);
      if (ms > most.ms || turnMs > most.turnMs)
        dear.push(`${input.input}: ${input.text}: ${ms} ms of ${most.ms}, ${turnMs} ms in one turn`);
    }
    expect(dear).toEqual([]);
  });

  /**
   * The least processor time of some tries, at most so many, and the least of the longest turns; no more tries once both are
   * low enough.
   */
  async function leastOf(
    input: HostileInput,
    expected: readonly number[] | undefined,
    enough: { readonly ms: number; readonly turnMs: number },
    atMost = TRIES,
  ): Promise<{ ms: number; turnMs: number }> {
    const least = { ms: Infinity, turnMs: Infinity };
    for (let tries = 0; tries < atMost && (least.ms > enough.ms || least.turnMs > enough.turnMs); tries++) {
      const { ms, longestTurnMs, statuses } = await target.cost([input]);
      const { input: name, text } = input;
      if (expected) expect({ name, text, statuses }).toEqual({ name, text, statuses: expected });
      else
        expect({ name, text, failures: statuses.filter((status) => status >= 500) }).toEqual({
          name,
          text,
          failures: [],
        });
      const slow = ms > enough.ms || longestTurnMs > enough.turnMs ? await slowness() : 1;
      least.ms = Math.min(least.ms, ms / slow);
      least.turnMs = Math.min(least.turnMs, longestTurnMs / slow);
    }
    return least;
  }
});

/** Each text in some of its inputs, each input with some of its texts; all of those that are rare. */
function shareOf(inputs: readonly HostileInput[]): HostileInput[] {
  const by = (of: 'input' | 'text') => Map.groupBy(inputs, (input) => `${input.server} ${input[of]}`);
  const ofInput = by('input');
  return [...by('text').values()].flatMap((same, at) =>
    same.filter(
      ({ server, input }, i) =>
        same.length < ONE_IN || ofInput.get(`${server} ${input}`)!.length < ONE_IN || (i + at) % ONE_IN === 0,
    ),
  );
}

it('the share that is tried has every input and every text', () => {
  const all = hostileInputs(NOWHERE).filter(({ good }) => !good);
  const tried = shareOf(all);
  const named = (some: readonly HostileInput[], of: 'input' | 'text'): ReadonlySet<string> =>
    new Set(some.map((input) => `${input.server} ${input[of]}`));
  expect(named(tried, 'input')).toEqual(named(all, 'input'));
  expect(named(tried, 'text')).toEqual(named(all, 'text'));
  expect(tried.length).toBeLessThan(all.length / 8);
});

describe('Every operation of docs/openapi.json has hostile inputs', () => {
  it('for each parameter and kind of body', () => {
    expect(inputsWithout(OPERATIONS, hostileInputs(NOWHERE))).toEqual([]);
  });

  it('and a new one with a body is named until it has some', () => {
    const post = { operationId: 'doThing', requestBody: { content: { 'application/json': {} } } };
    const added = operationsOf({ paths: { '/v1/{network}/thing': { post } } });
    expect(inputsWithout(added, hostileInputs(NOWHERE, added))).toEqual(['doThing application/json']);
  });
});

describe('Every form of the portal has hostile inputs', () => {
  let dataDir: string;
  let portal: RunningPortal;
  beforeAll(async () => {
    dataDir = mkdtempSync(join(tmpdir(), 'hindsight-forms-'));
    portal = await runPortal({ dataDir });
  });
  afterAll(async () => {
    await portal.stop();
    rmSync(dataDir, { recursive: true });
  });

  it('under each route that takes one', () => {
    expect(portal.forms).toEqual(
      expect.arrayContaining(['/sign-in', '/sign-in/wallet/message', '/dashboard/projects/:id/keys/:key']),
    );
    expect(formsWithout(portal.forms)).toEqual([]);
  });

  it('and a new one is named until it has some', () => {
    const added = ['/dashboard/projects/:id/colour', '/account/nickname'];
    expect(formsWithout([...portal.forms, ...added])).toEqual(added);
  });
});
