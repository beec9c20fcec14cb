import { describe, expect, it, jest } from '@jest/globals';
import { cases } from '@hindsight/kernel/test/support/rounds.ts';
import fc from 'fast-check';
import { NodeError } from '../rpc/node-error.ts';
import type { Block } from './block.ts';
import { BulkReader } from './bulk-reader.ts';
import { itemsOf, valueOf, type ColumnAnswer } from './multicall/column.ts';
import type { CallItem, CallResult, MulticallItem } from './multicall/multicall.ts';
import type { CallOutcome, Failed, PinnedCall, PinnedColumn, StateRoom } from './pinned-state.ts';

const BLOCK: Block = { number: 9_000_000, hash: '0x1', parentHash: '0x0', timestamp: 1 };
const CAP = 1_000_000;
const MOST_BALANCES = 597;

/** A question whose target is its number, and whose calldata is the gas that it burns. */
const question = (at: number, burns = 5_000): readonly CallItem[] => [
  {
    kind: 'call',
    target: String(at),
    data: `0x${burns.toString(16).padStart(72, '0')}`,
    gas: CAP,
    maxBytes: 32,
  },
];
const at = (items: readonly (readonly MulticallItem[])[]): PinnedCall[] =>
  items.map((own) => ({ block: BLOCK, items: own }));

/** Asks the numbers 0 to `costs.length - 1`, each of which burns its cost. @returns as `answered` */
type Ask = (bulk: BulkReader, costs: readonly number[], signal?: AbortSignal) => Promise<string[]>;

const askQuestions: Ask = async (bulk, costs, signal) =>
  answered(
    await bulk.ask(
      costs.map((burns, i) => ({ block: BLOCK, items: question(i, burns) })),
      signal,
    ),
  );

/** The same as one column: its accounts are those numbers. */
const askColumn: Ask = async (bulk, costs, signal) => {
  const accounts = costs.map((_, i) => `0x${i.toString().padStart(40, '0')}`);
  const of = (account: string): CallItem =>
    question(Number(account.slice(2)), costs[Number(account.slice(2))])[0]!;
  const values = await bulk.askColumn({ block: BLOCK, column: { of, accounts } }, signal);
  return values.map((value) =>
    typeof value === 'object' ? (value.error as NodeError).kind : value.toString(16),
  );
};

const FORMS = [
  ['questions', askQuestions],
  ['a column', askColumn],
] as const;
const usual = (count: number): number[] => Array<number>(count).fill(5_000);

/** A node by the multicall's rule: an item is tried only if its whole cap is left. */
class FakeState {
  readonly requests: PinnedCall[][] = [];
  /** Number of times that each question came. */
  readonly asked = new Map<string, number>();
  gas = 20_000_000;
  /** The most items of a call. */
  most = Infinity;
  refusal = new NodeError('refused', 'too large');
  atOnce = 0;
  mostAtOnce = 0;
  plain = false;
  wait: () => Promise<void> = () => Promise.resolve();

  /** As much as returned code gives. */
  ownRoom: StateRoom = { taken: 48_000, returned: 24_480, gas: 50_000_000 };

  room(): StateRoom {
    return this.ownRoom;
  }

  isPlain(): boolean {
    return this.plain;
  }

  async ask(calls: readonly PinnedCall[], signal?: AbortSignal): Promise<readonly CallOutcome[]> {
    this.requests.push([...calls]);
    this.atOnce += 1;
    this.mostAtOnce = Math.max(this.mostAtOnce, this.atOnce);
    await this.wait();
    this.atOnce -= 1;
    signal?.throwIfAborted();
    return calls.map((call) => this.#run(call));
  }

  async askColumns(
    calls: readonly PinnedColumn[],
    signal?: AbortSignal,
  ): Promise<readonly (ColumnAnswer | Failed)[]> {
    const asked = calls.map(({ block, column }) => {
      const items = itemsOf(column);
      return { block, items, mayStarve: items.length > 1 };
    });
    const outcomes = await this.ask(asked, signal);
    return outcomes.map((outcome, i) => {
      if ('error' in outcome) return outcome;
      const results = outcome.results as CallResult[];
      const values = results.map((result, k) =>
        result.status === 'starved' ? result.status : valueOf(result, asked[i]!.items[k]!),
      );
      const burned = results.reduce((sum, { gasUsed }) => sum + gasUsed, 0);
      return { values, burned, gas: this.gas, number: 0, timestamp: 0, parentHash: '' };
    });
  }

  get calls(): PinnedCall[] {
    return this.requests.flat();
  }

  get sizes(): number[] {
    return this.calls.map(({ items }) => items.length);
  }

  #run({ items, mayStarve }: PinnedCall): CallOutcome {
    for (const { target } of items as CallItem[]) this.asked.set(target, (this.asked.get(target) ?? 0) + 1);
    if (items.length > this.most) return { error: this.refusal };
    let { gas } = this;
    const results = (items as CallItem[]).map((item) => {
      const data = Buffer.from(item.target.padStart(64, '0'), 'hex');
      const gasUsed = Math.min(Number(item.data), item.gas);
      if (gas < item.gas) return { status: 'starved' as const, size: 0, gasUsed: 0, data: Buffer.alloc(0) };
      gas -= gasUsed;
      return { status: 'ok' as const, size: 32, gasUsed, data };
    });
    const starved = results.some(({ status }) => status === 'starved');
    return starved && !mayStarve ? { error: new NodeError('refused', 'too little gas') } : { results };
  }
}

function reader(state: FakeState, clock = { time: 0 }): BulkReader {
  return new BulkReader(state, { now: () => clock.time });
}

/** The targets that answered, in the order of the questions; the kind of the error where there is one. */
function answered(outcomes: readonly CallOutcome[]): string[] {
  return outcomes.map((outcome) => {
    if ('error' in outcome) return (outcome.error as NodeError).kind;
    return outcome.results
      .map((result) => ('data' in result ? BigInt(`0x${result.data.toString('hex')}`).toString(16) : ''))
      .join();
  });
}

const inOrder = (count: number): string[] => Array.from({ length: count }, (_, at) => String(at));

describe.each(FORMS)('many questions as %s', (_form, ask) => {
  it('share calls as large as can run, and requests of two of the largest answers', async () => {
    const state = new FakeState();
    expect(await ask(reader(state), usual(10_000))).toEqual(inOrder(10_000));
    expect(state.sizes).toEqual([...Array<number>(16).fill(MOST_BALANCES), 10_000 - 16 * MOST_BALANCES]);
    expect(state.requests.map((calls) => calls.length)).toEqual([7, 7, 3]);
    expect(await ask(reader(state), [])).toEqual([]);
  });

  it('are each a call of their own before Byzantium, a hundred to a request', async () => {
    const state = new FakeState();
    state.plain = true;
    expect(await ask(reader(state), usual(120))).toEqual(inOrder(120));
    expect(state.requests.map((calls) => calls.length)).toEqual([50, 50, 20]);
  });

  it('that burn gas are asked again in halves, and no honest one among them fails', async () => {
    const burns = fc.oneof(fc.integer({ min: 500, max: 30_000 }), fc.constant(CAP));
    const property = fc.asyncProperty(
      fc.array(burns, { minLength: 1, maxLength: 900, size: 'max' }),
      fc.integer({ min: CAP, max: 40_000_000 }),
      fc.integer({ min: 22, max: 700 }),
      async (costs, gas, most) => {
        const state = new FakeState();
        Object.assign(state, { gas, most });
        expect(await ask(reader(state), costs)).toEqual(inOrder(costs.length));
        const rounds = Math.max(...state.asked.values());
        expect(rounds).toBeLessThanOrEqual(2 + Math.ceil(Math.log2(Math.min(MOST_BALANCES, costs.length))));
        expect(state.calls.length).toBeLessThanOrEqual(2 * costs.length);
      },
    );
    await fc.assert(property, cases(30));
  });

  it('share no larger calls than little gas is enough for, with the last one’s cap', async () => {
    const state = new FakeState();
    state.gas = 9_500_000;
    state.ownRoom = { taken: 400_000, returned: 94_000, gas: state.gas };
    expect(await ask(reader(state), Array<number>(5_000).fill(6_000))).toEqual(inOrder(5_000));
    expect(Math.max(...state.asked.values())).toBe(1);
    expect(state.requests.map((calls) => calls.length)).toEqual([3, 1]);
  });
});

describe('many questions', () => {
  it('keep the items of a question together', async () => {
    const state = new FakeState();
    const pairs = Array.from({ length: 400 }, (_, at) => [...question(at), ...question(1_000 + at)]);
    expect(answered(await reader(state).ask(at(pairs)))).toEqual(
      inOrder(400).map((at) => `${at},${1_000 + Number(at)}`),
    );
    expect(state.sizes).toEqual([596, 204]);
  });

  it('about different blocks share no call, but a request', async () => {
    const state = new FakeState();
    const blockOf = (i: number): Block => ({
      ...BLOCK,
      number: BLOCK.number + (i % 365),
      hash: `0x${i % 365}`,
    });
    const asked = Array.from({ length: 730 }, (_, i) => ({ block: blockOf(i), items: question(i) }));
    expect(answered(await reader(state).ask(asked))).toEqual(inOrder(730));
    expect(state.requests.map((calls) => calls.length)).toEqual([100, 100, 100, 65]);
    expect(state.calls[1]).toMatchObject({ block: blockOf(1), items: [{ target: '1' }, { target: '366' }] });
  });

  it('share no call with one that writes, or that wants most of a call’s gas', async () => {
    const state = new FakeState();
    state.gas = 30_000_000;
    const own: Partial<CallItem>[] = [{}, { plain: true }, {}, { gas: 25_000_000 }, {}];
    const asked = own.map((more, at) => question(at).map((item): MulticallItem => ({ ...item, ...more })));
    expect(answered(await reader(state).ask(at(asked)))).toEqual(inOrder(5));
    expect(state.sizes).toEqual([1, 1, 1, 1, 1]);
  });

  it('fail only where they starve alone too', async () => {
    const state = new FakeState();
    state.gas = 3_000_000;
    const asked = [question(0), question(1).map((item) => ({ ...item, gas: 5_000_000 })), question(2)];
    expect(answered(await reader(state).ask(at(asked)))).toEqual(['0', 'refused', '2']);
  });
});

describe.each(FORMS)('a node that refuses large calls of %s', (_form, ask) => {
  it.each([
    ['by its size', new NodeError('refused', 'payload too large')],
    ['for its gas', new NodeError('refused', 'out of gas')],
    ['after a time', new NodeError('timeout', 'execution aborted (timeout = 5s)', { code: -32_000 })],
  ])('%s is asked smaller ones from then on, and larger ones again later', async (_what, refusal) => {
    const state = new FakeState();
    Object.assign(state, { most: 150, refusal });
    const clock = { time: 1_000_000 };
    const bulk = reader(state, clock);
    expect(await ask(bulk, usual(600))).toEqual(inOrder(600));
    expect(Math.max(...state.sizes)).toBe(MOST_BALANCES);

    state.requests.length = 0;
    expect(await ask(bulk, usual(600))).toEqual(inOrder(600));
    expect(Math.max(...state.sizes)).toBeLessThanOrEqual(150);
    expect(state.calls.length).toBeLessThanOrEqual(5);

    clock.time += 10 * 60_000;
    state.most = Infinity;
    state.requests.length = 0;
    expect(await ask(bulk, usual(600))).toEqual(inOrder(600));
    expect(Math.max(...state.sizes)).toBe(MOST_BALANCES);
  });

  it('that grants little gas is asked smaller ones, too', async () => {
    const state = new FakeState();
    state.gas = 2_500_000;
    const bulk = reader(state);
    expect(await ask(bulk, usual(597))).toEqual(inOrder(597));
    state.requests.length = 0;
    expect(await ask(bulk, usual(597))).toEqual(inOrder(597));
    expect(state.calls.length).toBeLessThanOrEqual(4);
    expect(Math.max(...state.sizes)).toBeLessThan(MOST_BALANCES);
  });

  it('whatever their size is not asked without end', async () => {
    const state = new FakeState();
    state.most = 0;
    const outcomes = await ask(reader(state), usual(597));
    expect(new Set(outcomes)).toEqual(new Set(['refused']));
    expect(state.calls.length).toBeLessThanOrEqual(64);
  });
});

describe.each(FORMS)('a node that fails for %s', (_form, ask) => {
  it('fails the questions of that call only', async () => {
    const state = new FakeState();
    const gone = new NodeError('unreachable', 'connection reset');
    const real = state.ask.bind(state);
    state.ask = async (calls, signal) => {
      const outcomes = await real(calls, signal);
      return outcomes.map((outcome, i) => (i === 1 ? { error: gone } : outcome));
    };
    const outcomes = await ask(reader(state), usual(3 * MOST_BALANCES));
    const expected = inOrder(3 * MOST_BALANCES).map((at) =>
      Number(at) >= MOST_BALANCES && Number(at) < 2 * MOST_BALANCES ? 'unreachable' : at,
    );
    expect(outcomes).toEqual(expected);
  });

  it('to answer in time is asked once more, in smaller requests', async () => {
    const state = new FakeState();
    const late = new NodeError('timeout', 'no answer in time');
    const real = state.ask.bind(state);
    state.ask = async (calls, signal) => {
      const outcomes = await real(calls, signal);
      if (calls.length > 1) throw late;
      return outcomes;
    };
    expect(await ask(reader(state), usual(1_000))).toEqual(inOrder(1_000));
    state.ask = () => Promise.reject(late);
    const outcomes = await ask(reader(state), usual(1_000));
    expect(new Set(outcomes)).toEqual(new Set(['timeout']));
  });
});

describe.each(FORMS)('requests of %s under way', (_form, ask) => {
  it('are at most four of a caller, and six of all', async () => {
    const state = new FakeState();
    // They begin in turns, one in a round of the event loop.
    state.wait = async () => {
      for (let i = 0; i < 20; i++) await new Promise((resolve) => setImmediate(resolve));
    };
    const bulk = reader(state);
    await ask(bulk, usual(20_000));
    expect(state.mostAtOnce).toBe(4);
    const asked = await Promise.all([1, 2, 3].map(() => ask(bulk, usual(9_000))));
    expect(state.mostAtOnce).toBe(6);
    for (const outcomes of asked) expect(outcomes).toEqual(inOrder(9_000));
  });

  it('are the last ones once the caller has left', async () => {
    const state = new FakeState();
    const gone = new AbortController();
    state.wait = async () => gone.abort(new Error('the client has gone'));
    const asking = ask(reader(state), usual(50_000), gone.signal);
    await expect(asking).rejects.toThrow('the client has gone');
    expect(state.requests.length).toBeLessThanOrEqual(4);
  });
});

it('a question waits a minute for its turn, and no longer than its caller', async () => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate', 'performance', 'Date'] });
  try {
    const state = new FakeState();
    state.wait = () => new Promise(() => undefined);
    const bulk = new BulkReader(state, { now: () => 0 });
    const leaving = new AbortController();
    for (let others = 0; others < 6; others++) void askQuestions(bulk, usual(1));
    const late = askQuestions(bulk, usual(1));
    const left = askQuestions(bulk, usual(1), leaving.signal);
    leaving.abort(new Error('the caller has left'));
    await expect(left).rejects.toThrow('the caller has left');
    await jest.advanceTimersByTimeAsync(60_000);
    expect(await late).toEqual(['busy']);
  } finally {
    jest.useRealTimers();
  }
});
