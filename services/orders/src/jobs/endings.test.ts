/** The search for the ends of orders, and the relay after it, killed at each of their steps: nothing is lost or told twice. */
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { PERMIT2 } from '@hindsight/chain/tokens/permit2.ts';
import { NodeError } from '@hindsight/chain/rpc/node-error.ts';
import type { FinalizedBlock } from '@hindsight/indexing/finalized-logs.ts';
import type { IndexStatus } from '@hindsight/indexing/progress.ts';
import { WalkReporter } from '@hindsight/indexing/walk-reporter.ts';
import { randomIds } from '@hindsight/kernel/ids.ts';
import { createLifecycle, type Lifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { createTelemetry } from '@hindsight/kernel/telemetry/telemetry.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openOrderStores, type OpenOrderStores } from '../adapters/open-stores.ts';
import { orderLogs } from '../adapters/walked-logs.ts';
import type { OrderRecord } from '../domain/order-event.ts';
import { ORDER_TOPICS, type OrderLog } from '../domain/order-logs.ts';
import { REACTORS } from '../domain/reactors.ts';
import type { BatchEntry, NonceReader } from '../ports.ts';
import { recordOf } from '../../test/adapters/order-stores.contract.ts';
import { Endings, type EndingsDeps } from './endings.ts';

const [REACTOR] = REACTORS[1]!.Dutch_V2! as [string];
const SWAPPER = `0x${'12'.repeat(20)}`;
const FILLER = `0x${'34'.repeat(20)}`;
const hash = (n: number): string => `0x${n.toString(16).padStart(64, '0')}`;
/** One second a block. */
const blockAt = (number: number): FinalizedBlock => ({
  number,
  hash: hash(number),
  parentHash: hash(number - 1),
  timestamp: 1_000 + number,
});
const logger = createLogger({ name: 'test', level: 'silent' });
const clock = { now: () => 5_000_000 };
const signal = new AbortController().signal;

/** Orders by their nonces: filled, sibling of that, invalidated, expired, used elsewhere and invalidated later, open. */
const NONCES = [7n, 7n, 300n, 301n, 302n, 303n];
const EXPIRES = 4;
const ELSEWHERE = 302n;
const records: readonly OrderRecord[] = NONCES.map((nonce, at) => {
  const { order } = recordOf(at + 1);
  const deadline = at + 1 === EXPIRES ? 1_015 : 4_000_000_000;
  return recordOf(at + 1, {
    order: { ...order, reactor: REACTOR, swapper: SWAPPER, nonce: String(nonce), deadline },
  });
});

const at = (block: number) => ({ block, blockHash: hash(block), transaction: hash(block * 100) });
const LOGS: readonly OrderLog[] = [
  {
    ...at(12),
    kind: 'fill',
    address: REACTOR.toLowerCase(),
    orderHash: hash(1),
    filler: FILLER,
    swapper: SWAPPER,
    nonce: 7n,
  },
  {
    ...at(14),
    kind: 'invalidation',
    address: PERMIT2.toLowerCase(),
    owner: SWAPPER,
    word: 1n,
    mask: (1n << 44n) | (1n << 46n),
  },
];

const nonces: NonceReader = {
  areSet: async (_, orders) => orders.map(({ nonce }) => nonce === ELSEWHERE),
  async *whenSet(searches) {
    for (const at of searches.keys())
      yield { at, bit: { isSet: true, block: blockAt(13), clearUntil: blockAt(12).timestamp, logs: [] } };
  },
  blocks: async (heights) => new Map(heights.map((height) => [height, blockAt(height)])),
};

/** Ends that must be told, by order. */
const ENDS: Readonly<Record<number, object>> = {
  1: { status: 'filled', block: 12, transaction: hash(1_200) },
  2: { status: 'cancelled', cause: 'sibling', sibling: hash(1), transaction: hash(1_200) },
  3: { status: 'cancelled', cause: 'invalidated', block: 14, transaction: hash(1_400) },
  4: { status: 'expired', block: 20 },
  5: { status: 'cancelled', cause: 'nonce-used-elsewhere', block: 13 },
};

class Killed extends Error {}

/** Calls of the stores that are left until the process is killed: before the last of them is made, or after it. */
interface Fate {
  left: number;
  readonly behind: boolean;
}

function mortal<T extends object>(part: T, fate: Fate): T {
  return new Proxy(part, {
    get(target, name) {
      const method = Reflect.get(target, name) as (...args: unknown[]) => unknown;
      const before = (): void => {
        fate.left -= 1;
        if (fate.left <= 0 && !fate.behind) throw new Killed();
      };
      const behind = (): void => {
        if (fate.left <= 0) throw new Killed();
      };
      if (name === 'ofSwappers')
        return async function* (...args: unknown[]) {
          before();
          yield* method.apply(target, args) as AsyncIterable<unknown>;
          behind();
        };
      return async (...args: unknown[]): Promise<unknown> => {
        before();
        const result = await method.apply(target, args);
        behind();
        return result;
      };
    },
  });
}

let folder: string;
let lifecycle: Lifecycle;
let stores: OpenOrderStores;
let log: BatchEntry[];
/** Ends that were counted. */
let ended: number;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'orders-endings-'));
  lifecycle = createLifecycle(logger);
});
afterEach(async () => {
  await lifecycle.shutdown('test');
  rmSync(folder, { recursive: true });
});

const status: IndexStatus = {
  ...{ state: 'following', detail: '', finalized: null, blocksPerSecond: 0, logsPerSecond: 0, at: 0 },
};

function endingsOf(fate: Fate, others: Partial<EndingsDeps>): Endings {
  const reporter = new WalkReporter({
    ...{ kind: 'order', prefix: 'orders', logger, clock, network: 'eth-mainnet' },
    meter: createTelemetry('test').meter('test'),
  });
  return new Endings({
    ...{ watch: mortal(stores.watch('eth-mainnet'), fate), nonces, reporter, clock, logger },
    orders: mortal(stores.orders, fate),
    logs: { finalized: async () => blockAt(10) },
    head: { look: async () => undefined },
    fills: { paid: async () => ({ amounts: null, amountsReason: 'not asked here' }) },
    onEnded: () => void (ended += 1),
    ...others,
  });
}

/** One life of the process: a round of the walk in two ranges, and the relay until nothing waits. */
async function live(
  holder: string,
  now: number,
  fate: Fate,
  others: Partial<EndingsDeps> = {},
): Promise<void> {
  const endings = endingsOf(fate, others);
  await mortal(stores.watch('eth-mainnet'), fate).claim({ holder, until: now + 10, status }, now);
  let base = await endings.resume(signal);
  for (const to of [13, 20]) {
    if (base!.number >= to) continue;
    const from = base!.number + 1;
    const found = LOGS.filter(({ block }) => block >= from && block <= to);
    const range = { from, to, parentHash: hash(from - 1), hash: hash(to), count: found.length, found };
    base = await endings.add(base, await endings.prepare(range), { isLast: to === 20, signal });
  }
  await endings.caughtUp(base!, blockAt(20), signal);
  const outbox = mortal(stores.outbox, fate);
  await outbox.lead(holder, now, now + 10);
  for (let batch = await outbox.nextBatch(holder, 2); batch; batch = await outbox.nextBatch(holder, 2)) {
    log.push(...batch.entries);
    await outbox.finish(holder, batch);
  }
}

async function begin(n: number, received = records): Promise<void> {
  stores = await openOrderStores({ dataDir: join(folder, String(n)) }, { ids: randomIds, lifecycle });
  log = [];
  ended = 0;
  await Promise.all(received.map((record) => stores.orders.insert(record)));
  await stores.outbox.lead('first', 0, 1);
  await stores.outbox.finish('first', (await stores.outbox.nextBatch('first', received.length))!);
}

it.each([false, true])('at each step, the call made: %s', async (behind) => {
  let died = true;
  for (let step = 1; died; step++) {
    await begin(step);
    died = await live('a', 100, { left: step, behind }).then(
      () => false,
      (error: unknown) => {
        if (error instanceof Killed) return true;
        throw error;
      },
    );
    if (died) await live('b', 200, { left: Infinity, behind });
    // As a consumer counts: each sequence above the last one.
    let last = 0;
    const told = log.filter(({ sequence }) => sequence > last && (last = sequence) > 0);
    const byOrder = told.map(({ record, end }) => [record.id, end?.state]);
    expect([step, new Set(byOrder.map(([id]) => id)).size, byOrder.length]).toEqual([step, 5, 5]);
    for (const [n, end] of Object.entries(ENDS)) {
      const [, state] = byOrder.find(([id]) => id === recordOf(Number(n)).id)!;
      expect([step, state]).toMatchObject([step, end]);
    }
    expect((await stores.orders.find(recordOf(6).id))?.state).toEqual({ status: 'open' });
    expect(step).toBeLessThan(100);
  }
});

it('are not told where no node has the state from before, and the order says why', async () => {
  await begin(0);
  const whenSet: NonceReader['whenSet'] = async function* (searches) {
    for (const at of searches.keys()) yield { at, bit: undefined };
  };
  await live('a', 100, { left: Infinity, behind: true }, { nonces: { ...nonces, whenSet } });
  const spent = recordOf(5).id;
  const reason = expect.stringMatching(/^its nonce was used before the oldest block/);
  expect((await stores.orders.find(spent))?.state).toEqual({ status: 'open', reason, knownAt: 20 });
  expect(log.map(({ record }) => record.id)).not.toContain(spent);
  expect(await stores.watch('eth-mainnet').due(blockAt(20).timestamp + 599, 10)).toEqual([]);
  const due = await stores.watch('eth-mainnet').due(blockAt(20).timestamp + 600, 10);
  expect(due.map(({ record }) => record.id)).toContain(spent);
  // The next search for the end of an order begins where its nonce was last seen clear.
  expect(due.find(({ record }) => record.id === recordOf(6).id)?.clearAt).toBe(20);
});

it('are found a part at a time, of however many orders a swapper has signed', async () => {
  const siblings = Array.from({ length: 1_200 }, (_, n) => {
    const { order } = recordOf(n + 1);
    const terms = { reactor: REACTOR, swapper: SWAPPER, nonce: '7', deadline: 4_000_000_000 };
    return recordOf(n + 1, { order: { ...order, ...terms } });
  });
  await begin(0, siblings);
  const heights: number[] = [];
  const blocks: NonceReader['blocks'] = (asked, from) => {
    heights.push(asked.length);
    return nonces.blocks(asked, from);
  };
  await live('a', 100, { left: Infinity, behind: true }, { nonces: { ...nonces, blocks } });
  // Two for each order that is settled.
  expect(Math.max(...heights)).toBeLessThanOrEqual(1_000);
  expect(log.map(({ end }) => end?.state.status).sort()).toEqual([
    ...siblings.slice(1).map(() => 'cancelled'),
    'filled',
  ]);
});

it('are searched for in state a part at a time, of however many nonces are found spent', async () => {
  const { order } = records[4]!;
  await begin(
    0,
    Array.from({ length: 300 }, (_, n) => recordOf(n + 2, { order })),
  );
  let searched = 0;
  const whenSet: NonceReader['whenSet'] = (searches, ...rest) => {
    searched = searches.length;
    return nonces.whenSet(searches, ...rest);
  };
  await live('a', 100, { left: Infinity, behind: true }, { nonces: { ...nonces, whenSet } });
  expect(searched).toBe(250);
  expect(ended).toBe(250);
});

it('are never what other contracts say', () => {
  const said = (address: string, event: string, words: number) => ({
    address,
    topics: [event, ...Array.from({ length: words }, () => hash(1))],
    transactionHash: hash(100),
  });
  const { fill, relay, invalidation } = ORDER_TOPICS;
  const { found, take } = orderLogs(1).start();
  for (const address of [FILLER, REACTOR, PERMIT2]) {
    for (const event of [fill, relay]) take({ ...said(address, event, 3), data: hash(7) }, blockAt(12));
    take({ ...said(address, invalidation, 1), data: `${hash(1)}${hash(1).slice(2)}` }, blockAt(12));
  }
  expect(found.map(({ kind, address }) => [kind, address])).toEqual([
    ['fill', REACTOR.toLowerCase()],
    ['fill', REACTOR.toLowerCase()],
    ['invalidation', PERMIT2.toLowerCase()],
  ]);
});

it('are not what logs of another branch say, between two blocks of this one', async () => {
  await begin(0);
  const blocks: NonceReader['blocks'] = async (heights) =>
    new Map(
      heights.map((height) => [height, { ...blockAt(height), ...(height === 12 && { hash: hash(99) }) }]),
    );
  await live('a', 100, { left: Infinity, behind: false }, { nonces: { ...nonces, blocks } });
  expect(log.map(({ record }) => record.id).sort()).toEqual([3, 4, 5].map((n) => recordOf(n).id).sort());
  for (const n of [1, 2])
    expect((await stores.orders.find(recordOf(n).id))?.state).toEqual({ status: 'open' });
});

it('state before an invalidation that no node has leaves the order to the next look; any other failure ends the round', async () => {
  const failing = (kind: 'missing-state' | 'timeout') => {
    const areSet: NonceReader['areSet'] = async (block, ...rest) => {
      if (block.number === 13) throw new NodeError(kind, `it is ${kind}`);
      return nonces.areSet(block, ...rest);
    };
    return { nonces: { ...nonces, areSet } };
  };
  const fate = { left: Infinity, behind: false };
  await begin(1);
  await expect(live('a', 100, fate, failing('timeout'))).rejects.toMatchObject({ kind: 'timeout' });
  await live('a', 200, fate, failing('missing-state'));
  expect(log.length).toBeGreaterThan(0);
});

it('are counted by the process that stored them, of two that found them at once', async () => {
  await begin(0);
  const settle: EndingsDeps['orders']['settle'] = async (...given) => {
    await stores.orders.settle(...given);
    return stores.orders.settle(...given);
  };
  await live('a', 100, { left: Infinity, behind: false }, { orders: { settle } });
  expect([log.length, ended]).toEqual([5, 0]);
});

it('are looked for in state, and at the head, only once their events are read up to the finalized block', async () => {
  await begin(0);
  let [heads, failure] = [0, undefined as Error | undefined];
  const look = async (): Promise<void> => {
    heads += 1;
    if (failure !== undefined) throw failure;
  };
  const endings = endingsOf({ left: Infinity, behind: false }, { head: { look } });
  const end = { from: 10, number: 20, hash: hash(20) };
  await endings.caughtUp({ ...end, hash: hash(21) }, blockAt(20), signal);
  expect([heads, ended]).toEqual([0, 0]);
  // Nodes may fail at the head: what is final is stored by then, and the next round reads the rest again.
  failure = new NodeError('timeout', 'it is late');
  await endings.caughtUp(end, blockAt(20), signal);
  expect([heads, ended]).toEqual([1, 2]);
  failure = new Error('a fault of ours');
  await expect(endings.caughtUp(end, blockAt(20), signal)).rejects.toThrow(failure);
});
