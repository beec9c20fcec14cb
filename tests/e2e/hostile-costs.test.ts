/** No text costs the event loop much, whatever input it is sent in: `npm run bench hostile` in short. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sharedDevchain } from '@hindsight/tools/servers/shared-devchain.ts';
import { hostileInputs, smallInputs, type HostileInput } from '../support/hostile/inputs.ts';
import { startTarget, type Target } from '../support/hostile/target.ts';

/** Ten times the goals of the benchmark, in milliseconds of processor time, which other processes do not take part in. */
const MAX_MS = { head: 20, order: 40 };
/** A collection of garbage makes a try dearer, a costly text makes all of them dear: the least counts. */
const TRIES = 10;
const TOGETHER = 5;
const WARM_UP = 20;
const WITHIN_MS = 600_000;

describe('A hostile text costs less than 20 ms of processor time, an order 40', () => {
  let target: Target;
  let inputs: HostileInput[];

  beforeAll(async () => {
    target = await startTarget((await sharedDevchain(process.env)).url);
    inputs = hostileInputs(target.origin);
    // What runs first is compiled first.
    for (const input of smallInputs(target.origin))
      await target.cost(Array.from({ length: WARM_UP }, () => input));
  }, WITHIN_MS);
  afterAll(() => target.stop(), WITHIN_MS);

  /** Those of some inputs that are too dear. Together they mostly cost less than one of them may. */
  async function dearOf(some: readonly HostileInput[]): Promise<string[]> {
    const [{ input = '', text = '', isOrder = false } = {}] = some;
    for (let tries = 0; tries < (some.length === 1 ? TRIES : 1); tries++) {
      const { ms, statuses } = await target.cost(some);
      expect({ input, text, failures: statuses.filter((status) => status >= 500) }).toEqual({
        input,
        text,
        failures: [],
      });
      if (ms <= (isOrder ? MAX_MS.order : MAX_MS.head)) return [];
    }
    if (some.length === 1) return [`${input}: ${text}`];
    const found: string[] = [];
    for (const one of some) found.push(...(await dearOf([one])));
    return found;
  }

  it.each(['gateway', 'portal'] as const)(
    'at the %s',
    async (server) => {
      const dear: string[] = [];
      const own = inputs.filter((input) => input.server === server);
      for (const kind of [own.filter(({ isOrder }) => isOrder), own.filter(({ isOrder }) => !isOrder)])
        for (let at = 0; at < kind.length; at += TOGETHER)
          dear.push(...(await dearOf(kind.slice(at, at + TOGETHER))));
      expect(dear).toEqual([]);
    },
    WITHIN_MS,
  );
});
