/**
 * Thousands of orders of one swapper, each with an end of its own, on a chain with the real Permit2 and the protocol's reactors.
 * The truth is what was done and what its receipts say; the service is told nothing of it.
 */
import { NETWORKS } from '@hindsight/chain/networks.ts';
import { carriedJsonRpc } from '@hindsight/chain/test/support/carried-json-rpc.ts';
import { ask, askAll } from '@hindsight/devchain/client.ts';
import { mine } from '@hindsight/devchain/control.ts';
import { startDevchain } from '@hindsight/devchain/devchain.ts';
import { TOKENS } from '@hindsight/devchain/world.ts';
import { randomIds } from '@hindsight/kernel/ids.ts';
import { createLifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { createTelemetry } from '@hindsight/kernel/telemetry/telemetry.ts';
import { until } from '@hindsight/kernel/test/support/until.ts';
import { id, toBeHex, Wallet } from 'ethers';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { openOrderStores } from '../../src/adapters/open-stores.ts';
import type { OrderRecord } from '../../src/domain/order-event.ts';
import type { OrderState } from '../../src/domain/order-state.ts';
import { watchOrders } from '../../src/watch-orders.ts';
import { invalidation, spending, type Call } from '../support/fills.ts';
import {
  CONTRACTS,
  FILLER,
  fillOf,
  moved,
  OLD_REACTOR,
  prepareReactors,
  termsAt,
  type Receipt,
} from '../support/reactor-orders.ts';
import { build, casesOf, loadSdk, NOW, swapper } from '../support/sdk-orders.ts';

/** Kinds of ends, in rotation: two orders that share a transaction or a nonce follow each other. */
export const KINDS = [
  'filled (V1)',
  'filled (V2)',
  'filled (V3)',
  'filled (Priority)',
  'filled by an old reactor',
  'filled in a batch',
  'filled in a batch',
  'filled in the last second',
  'expired',
  'cancelled by its nonce',
  'filled before its sibling',
  'cancelled by a sibling',
  'cancelled by another user of Permit2',
  'reorganised, filled again',
  'reorganised, cancelled',
  'reorganised, open',
  'open',
] as const;

type Kind = (typeof KINDS)[number];

interface Tried {
  readonly kind: Kind;
  readonly record: OrderRecord;
  expected: object;
  amounts?: unknown;
}

/** The orders of a kind, and how the service told their ends. */
export interface Tally {
  orders: number;
  right: number;
  wrong: number;
  wrongAmounts: number;
  withheldAmounts: number;
}

/** Kinds that need a reactor of one type: a chain may lack it. */
const TYPED: readonly Kind[] = KINDS.slice(0, 5);
const FOREVER = 4_000_000_000;
const AT_ONCE = 200;
const GAS = '0x186a00';
/** Wei for a unit of gas: the base fee of blocks with fills, and the tip for each place after the first. */
const BASE_FEE = 5_000_000_000n;
const TIP = 97n;
const WITHIN_MS = 1_800_000;
/** The swapper of all orders. */
const SIGNER = new Wallet(id('a swapper'));
/** A chain, with the type of order of each kind that needs a reactor of one type, and that of all other kinds. */
export interface Types {
  readonly network: string;
  readonly chainId: number;
  readonly of: Partial<Record<Kind, string>>;
  readonly others: string;
}

/** Two chains, because none has the reactors of all types. */
export const ETHEREUM: Types = {
  ...{ network: 'eth-mainnet', chainId: 1, others: 'Dutch_V2' },
  of: {
    'filled (V1)': 'Dutch',
    'filled (V2)': 'Dutch_V2',
    'filled (V3)': 'Dutch_V3',
    'filled by an old reactor': 'Dutch',
  },
};
export const BASE: Types = {
  ...{ network: 'base-mainnet', chainId: 8453, others: 'Priority' },
  of: { 'filled (V3)': 'Dutch_V3', 'filled (Priority)': 'Priority' },
};

/** Runs the trial. @returns the tally by kind, and the events that told an end: published ones, and those that came twice */
export async function tryEnds(
  sdkFolder: string,
  count: number,
  { network, chainId, of: types, others }: Types,
  say: (line: string) => void = () => undefined,
): Promise<{ readonly kinds: ReadonlyMap<Kind, Tally>; readonly told: number; readonly twice: number }> {
  const folder = mkdtempSync(join(tmpdir(), 'orders-many-ends-'));
  const logger = createLogger({ name: 'test', level: 'silent' });
  const lifecycle = createLifecycle(logger);
  const { url, stop } = await startDevchain();
  const node = carriedJsonRpc({ url, timeoutMs: 60_000 });
  try {
    await ask(url, 'evm_setBlockGasLimit', '0x77359400');
    await prepareReactors(url, sdkFolder, chainId);
    const stores = await openOrderStores({ dataDir: folder }, { ids: randomIds, lifecycle });
    const cases = new Map(casesOf(loadSdk(sdkFolder).sdk).map((one) => [one.type, one]));
    const latest = async (tag = 'latest'): Promise<{ number: number; timestamp: number; hash: string }> => {
      const block = (await ask(url, 'eth_getBlockByNumber', tag, false)) as Record<string, string>;
      return { number: Number(block.number), timestamp: Number(block.timestamp), hash: block.hash! };
    };
    const begun = await latest();
    const deadline = Math.max(begun.timestamp, NOW / 1_000) + 1_000_000;

    const kinds = KINDS.filter((kind) => kind in types || !TYPED.includes(kind));
    const tried = Array.from({ length: count }, (_, n): Tried => {
      const kind = kinds[n % kinds.length]!;
      const type = types[kind] ?? others;
      const reactor = kind === 'filled by an old reactor' ? OLD_REACTOR : CONTRACTS[chainId]![type]![1];
      const isShort = kind === 'filled in the last second' || kind === 'expired';
      const nonce = kind === 'cancelled by a sibling' ? n - 1 : n;
      // The hashes of siblings differ in their deadlines.
      const terms = termsAt(begun, type, { nonce, deadline: isShort ? deadline : FOREVER + n });
      const { payload, validated } = build({ ...cases.get(type)!, chainId, reactor }, terms);
      const about = { network, projectId: 'p', receivedAt: NOW + n };
      return {
        kind,
        record: { id: validated.id, ...about, payload, order: validated.order },
        expected: { status: 'open' },
      };
    });
    say(`${count} orders are signed`);
    const told: string[] = [];
    const publish = async (): Promise<void> => {
      await stores.outbox.lead('test', 0, 1);
      for (;;) {
        const batch = await stores.outbox.nextBatch('test', 500);
        if (batch === null) return;
        for (const { record, end } of batch.entries) if (end) told.push(record.id);
        await stores.outbox.finish('test', batch);
      }
    };
    await Promise.all(tried.map(({ record }) => stores.orders.insert(record)));
    await publish();
    watchOrders(
      { network: NETWORKS.get(network)!, node },
      {
        ...{ stores, clock: { now: () => Date.now() }, logger, lifecycle, ids: randomIds },
        telemetry: createTelemetry('orders'),
        settings: { pollMs: 50, maxPauseMs: 200 },
        onEnded: () => undefined,
      },
    );
    const searched = async (): Promise<void> => {
      await ask(url, 'anvil_mine', '0x40', '0xc');
      const { number, timestamp } = await latest('finalized');
      const orders = stores.watch(network);
      const isDone = async (): Promise<boolean> =>
        (await orders.position())?.number === number && (await orders.due(timestamp, 1)).length === 0;
      await until(`block ${number} is searched, and no look is due`, isDone, WITHIN_MS);
    };
    await searched();
    say('all have been looked at');

    /**
     * Sends the calls of one account, a few hundred in a block, or all of them in one block at a given time. Fills pay for gas: a
     * base fee of some gwei, and above it by their places.
     */
    const send = async (
      calls: readonly (Call & { readonly from?: string })[],
      at?: number,
    ): Promise<Receipt[]> => {
      const receipts: Receipt[] = [];
      const size = at === undefined ? AT_ONCE : calls.length;
      const from = calls[0]?.from ?? FILLER;
      const pays = from === FILLER;
      const first = Number(await ask(url, 'eth_getTransactionCount', from, 'latest'));
      for (let n = 0; n < calls.length; n += size) {
        const sent = calls.slice(n, n + size).map((call, i) => {
          const nonce = toBeHex(first + n + i);
          const gasPrice = toBeHex(pays ? BASE_FEE + BigInt(i) * TIP : 0n);
          return { from, gas: GAS, gasPrice, nonce, ...call };
        });
        const hashes = await askAll(
          url,
          sent.map((call) => ['eth_sendTransaction', call]),
        );
        const refused = hashes.find(({ error }) => error !== undefined);
        if (refused) throw new Error(refused.error?.message);
        await ask(url, 'anvil_setNextBlockBaseFeePerGas', toBeHex(pays ? BASE_FEE : 0n));
        await mine(url, at === undefined ? {} : { timestamp: at });
        await ask(url, 'anvil_setNextBlockBaseFeePerGas', '0x0');
        const answers = await askAll(
          url,
          hashes.map(({ result }) => ['eth_getTransactionReceipt', result]),
        );
        receipts.push(...answers.map(({ result }) => result as Receipt));
      }
      return receipts;
    };
    const of = (kind: Kind): Tried[] => tried.filter((one) => one.kind === kind);
    const placeOf = ({ blockNumber, transactionHash }: Receipt) => ({
      block: Number(blockNumber),
      transaction: transactionHash,
    });
    const done = (receipt: Receipt): Receipt => {
      if (receipt.status !== '0x1') throw new Error(`${receipt.transactionHash} failed`);
      return receipt;
    };
    const noteFilled = (orders: readonly Tried[], receipt: Receipt): void => {
      const amounts = moved(done(receipt));
      for (const [at, order] of orders.entries()) {
        const { blockHash } = receipt;
        order.expected = {
          status: 'filled',
          finalized: true,
          filler: FILLER,
          ...placeOf(receipt),
          blockHash,
        };
        order.amounts = amounts[at]!.amounts;
      }
    };
    const noteCancelled = (order: Tried, cause: string, fields: object): void => {
      order.expected = { status: 'cancelled', finalized: true, cause, ...fields };
    };
    const fillAll = async (orders: readonly Tried[], at?: number): Promise<void> => {
      const receipts = await send(
        orders.map(({ record }) => fillOf([record])),
        at,
      );
      for (const [n, order] of orders.entries()) noteFilled([order], receipts[n]!);
    };
    const cancelAll = async (orders: readonly Tried[]): Promise<void> => {
      const gives = orders.map(({ record }) => ({
        ...invalidation(BigInt(record.order.nonce)),
        from: swapper,
      }));
      for (const [n, receipt] of (await send(gives)).entries())
        noteCancelled(orders[n]!, 'invalidated', placeOf(done(receipt)));
    };

    for (const kind of TYPED) await fillAll(of(kind));
    const batched = of('filled in a batch');
    const pairs = batched.flatMap((order, n) =>
      n % 2 === 0 && batched[n + 1] ? [[order, batched[n + 1]!]] : [],
    );
    for (const [n, receipt] of (
      await send(pairs.map((pair) => fillOf(pair.map(({ record }) => record))))
    ).entries())
      noteFilled(pairs[n]!, receipt);
    await cancelAll(of('cancelled by its nonce'));
    const bought = of('filled before its sibling');
    await fillAll(bought);
    for (const [n, lost] of of('cancelled by a sibling').entries()) {
      const { block, transaction } = bought[n]!.expected as ReturnType<typeof placeOf>;
      noteCancelled(lost, 'sibling', { block, transaction, sibling: bought[n]!.record.payload.orderHash });
    }
    const spent = of('cancelled by another user of Permit2');
    const spends = await Promise.all(
      spent.map(({ record }) =>
        spending(SIGNER, TOKENS.uni.address, FILLER, BigInt(record.order.nonce), chainId),
      ),
    );
    for (const [n, receipt] of (await send(spends)).entries())
      noteCancelled(spent[n]!, 'nonce-used-elsewhere', { block: placeOf(done(receipt)).block });
    say('the chain has the fills and cancellations');

    const [again, given, gone] = (['filled again', 'cancelled', 'open'] as const).map((end) =>
      of(`reorganised, ${end}`),
    ) as [Tried[], Tried[], Tried[]];
    const snapshot = await ask(url, 'evm_snapshot');
    await send([...again, ...given, ...gone].map(({ record }) => fillOf([record])));
    const stateOf = async ({ record }: Tried): Promise<OrderState | undefined> =>
      (await stores.orders.find(record.id))?.state;
    const seen = async (name: 'fill' | 'takenBack'): Promise<void> => {
      for (const order of gone)
        await until(`${name} is told`, async () => name in ((await stateOf(order)) ?? {}), WITHIN_MS);
    };
    await seen('fill');
    await ask(url, 'evm_revert', snapshot);
    await ask(url, 'anvil_mine', '0x5', '0xd');
    await fillAll(again);
    await cancelAll(given);
    await ask(url, 'anvil_mine', '0x20', '0xc');
    await seen('takenBack');
    say('a reorganisation took fills back');

    const last = of('filled in the last second');
    await mine(url, { timestamp: deadline - 1 });
    if (last.length > 0) await fillAll(last, deadline);
    const late = of('expired');
    for (const receipt of await send(
      late.map(({ record }) => fillOf([record])),
      deadline + 1,
    ))
      if (receipt.status === '0x1') throw new Error('an order was filled after its deadline');
    for (const order of late) order.expected = { status: 'expired', finalized: true };
    await mine(url, { timestamp: deadline + 2_000 });
    await searched();
    const ends = tried.filter(({ expected }) => !isDeepStrictEqual(expected, { status: 'open' })).length;
    const areTold = async (): Promise<boolean> => (await stores.outbox.waiting(count)) >= ends;
    await until('all ends are told', areTold, WITHIN_MS).catch(() => say('some ends were not told'));
    say('the service has told the ends');
    await publish();

    const tallies = new Map<Kind, Tally>();
    for (const one of tried) {
      const state = await stateOf(one);
      const tally = tallies.get(one.kind) ?? {
        orders: 0,
        right: 0,
        wrong: 0,
        wrongAmounts: 0,
        withheldAmounts: 0,
      };
      tallies.set(one.kind, tally);
      tally.orders++;
      if (isDeepStrictEqual({ ...state, ...one.expected }, state)) tally.right++;
      else {
        tally.wrong++;
        say(`${one.kind}: ${JSON.stringify(one.expected)} was told as ${JSON.stringify(state)}`);
      }
      if (state?.status !== 'filled') continue;
      if (state.amounts === null) tally.withheldAmounts++;
      else if (!isDeepStrictEqual(state.amounts, one.amounts)) {
        tally.wrongAmounts++;
        say(`${one.kind}: ${JSON.stringify(one.amounts)} was told as ${JSON.stringify(state.amounts)}`);
      }
    }
    return { kinds: tallies, told: told.length, twice: told.length - new Set(told).size };
  } finally {
    await lifecycle.shutdown('test');
    await node.close();
    await stop();
    rmSync(folder, { recursive: true });
  }
}
