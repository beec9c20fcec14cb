/** Ends of orders on a chain that really runs: its Permit2 is the real one, its reactors are ours (support/fills.ts). */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { ETH_MAINNET } from '@hindsight/chain/networks.ts';
import { NodeError } from '@hindsight/chain/rpc/node-error.ts';
import type { EthereumNode } from '@hindsight/chain/rpc/node.ts';
import { carriedJsonRpc } from '@hindsight/chain/test/support/carried-json-rpc.ts';
import { ask } from '@hindsight/devchain/client.ts';
import { mine, sendAndMine } from '@hindsight/devchain/control.ts';
import { startDevchain, type Devchain } from '@hindsight/devchain/devchain.ts';
import { HOLDERS, TOKENS } from '@hindsight/devchain/world.ts';
import { randomIds } from '@hindsight/kernel/ids.ts';
import { createLifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { createTelemetry } from '@hindsight/kernel/telemetry/telemetry.ts';
import { until } from '@hindsight/kernel/test/support/until.ts';
import { describeOnInstalled } from '@hindsight/tools/servers/suite.ts';
import { getAddress, id, toBeHex, Wallet } from 'ethers';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { openOrderStores, type OpenOrderStores } from '../src/adapters/open-stores.ts';
import type { OrderRecord } from '../src/domain/order-event.ts';
import type { OrderState } from '../src/domain/order-state.ts';
import type { BatchEntry } from '../src/ports.ts';
import { REACTORS } from '../src/domain/reactors.ts';
import { watchOrders } from '../src/watch-orders.ts';
import { recordOf } from './adapters/order-stores.contract.ts';
import {
  batchOf,
  deployPermit2,
  fillBy,
  invalidation,
  placeReactor,
  spending,
  type Call,
} from './support/fills.ts';

const [V1, OLD_V1] = REACTORS[1]!.Dutch! as [string, string];
const [V2] = REACTORS[1]!.Dutch_V2! as [string];
const LIAR = getAddress(`0x${'ee'.repeat(20)}`);
const FILLER = getAddress(HOLDERS.market);
const swapper = new Wallet(id('swaps'));
const other = new Wallet(id('swaps too'));
const FOREVER = 4_000_000_000;
const lifecycle = createLifecycle(createLogger({ name: 'test', level: 'silent' }));

interface Given {
  readonly nonce?: bigint;
  readonly by?: string;
  readonly deadline?: number;
  readonly of?: Wallet;
}

interface Made {
  readonly id: string;
  readonly orderHash: string;
  readonly nonce: bigint;
  readonly record: OrderRecord;
}

await describeOnInstalled('the ends of orders', { name: 'uniswapx-sdk', env: process.env }, (sdkFolder) => {
  const folder = mkdtempSync(join(tmpdir(), 'orders-endings-'));
  let chain: Devchain;
  let isAway = false;
  let node: EthereumNode;
  let stores: OpenOrderStores;
  let readiness: () => Promise<string>;
  const ended: string[] = [];
  const told: BatchEntry[] = [];
  let orders = 0;

  beforeAll(async () => {
    chain = await startDevchain();
    const real = carriedJsonRpc({ url: chain.url, timeoutMs: 60_000 });
    const away = new NodeError('unreachable', 'connection refused');
    node = { ...real, send: (...question) => (isAway ? Promise.reject(away) : real.send(...question)) };
    stores = await openOrderStores({ dataDir: folder }, { ids: randomIds, lifecycle });
    await deployPermit2(chain.url, sdkFolder, FILLER);
    for (const address of [V1, OLD_V1, V2, LIAR]) await placeReactor(chain.url, address);
  });
  afterAll(async () => {
    await lifecycle.shutdown('test');
    await node.close();
    await chain.stop();
    rmSync(folder, { recursive: true });
  });

  /** An order that is not received yet. */
  function make(given: Given = {}): Made {
    const n = ++orders;
    const { nonce = BigInt(n) * 100n, by = V2, deadline = FOREVER, of = swapper } = given;
    const { order } = recordOf(n);
    const terms = { swapper: of.address, reactor: by, nonce: String(nonce), deadline };
    const record = recordOf(n, { order: { ...order, ...terms } });
    return { id: record.id, orderHash: record.payload.orderHash, nonce, record };
  }

  async function store({ record }: Made): Promise<void> {
    await stores.orders.insert(record);
    await publish();
  }

  /** An order that is stored and published. */
  async function open(given: Given = {}): Promise<Made> {
    const made = make(given);
    await store(made);
    return made;
  }

  /** Publishes all that waits. */
  async function publish(): Promise<void> {
    const { outbox } = stores;
    await outbox.lead('test', 0, 1);
    for (;;) {
      const batch = await outbox.nextBatch('test', 10);
      if (batch === null) return;
      told.push(...batch.entries);
      await outbox.finish('test', batch);
    }
  }

  async function send(call: Call, from = FILLER): Promise<{ block: number; transaction: string }> {
    return mined(await sendAndMine(chain.url, { from, ...call }));
  }

  async function mined({
    blockNumber,
  }: {
    blockNumber: number;
  }): Promise<{ block: number; transaction: string }> {
    const block = (await ask(chain.url, 'eth_getBlockByNumber', `0x${blockNumber.toString(16)}`, false)) as {
      transactions: string[];
    };
    return { block: blockNumber, transaction: block.transactions.at(-1)! };
  }

  async function fill(
    { orderHash, nonce }: { orderHash: string; nonce: bigint },
    { by = V2, of = swapper }: { by?: string; of?: Wallet } = {},
  ): Promise<Call> {
    const spends = await spending(of, TOKENS.uni.address, by, nonce);
    return fillBy(by, { orderHash, filler: FILLER, swapper: of.address, nonce }, spends);
  }

  const stateOf = async (order: { id: string }): Promise<OrderState | undefined> =>
    (await stores.orders.find(order.id))?.state;

  const headOf = async (tag: string): Promise<{ number: number; timestamp: number }> => {
    const block = (await ask(chain.url, 'eth_getBlockByNumber', tag, false)) as Record<string, string>;
    return { number: Number(block.number), timestamp: Number(block.timestamp) };
  };

  /** Makes the head final, and waits until the search has it. */
  async function finalize(): Promise<void> {
    await ask(chain.url, 'anvil_mine', '0x40', '0xc');
    await searched();
  }

  async function searched(): Promise<void> {
    const { number } = await headOf('finalized');
    const watch = stores.watch('eth-mainnet');
    await until(`block ${number} is searched`, async () => (await watch.position())?.number === number);
    const { timestamp } = await headOf('finalized');
    await until('no look is due', async () => (await watch.due(timestamp, 1)).length === 0);
  }

  /** Waits until an order has that state. */
  const has = (order: { id: string }, wanted: object) =>
    until(JSON.stringify(wanted), async () => isDeepStrictEqual(await stateOf(order), wanted));

  /** A fill by its place on the chain. */
  const seenIn = async ({ block, transaction }: { block: number; transaction: string }) => {
    const { hash } = (await ask(chain.url, 'eth_getBlockByNumber', toBeHex(block), false)) as {
      hash: string;
    };
    return { filler: FILLER, transaction, block, blockHash: hash };
  };

  const filled = ({ block, transaction }: { block: number; transaction: string }) => ({
    status: 'filled',
    finalized: true,
    filler: FILLER,
    block,
    transaction,
  });
  const cancelled = (cause: string, fields: object) => ({
    status: 'cancelled',
    finalized: true,
    cause,
    ...fields,
  });

  it('that were before the search began are found by their nonces', async () => {
    const early = { filled: await open(), given: await open(), elsewhere: await open(), open: await open() };
    const fills = await send(await fill(early.filled));
    const gives = await send(invalidation(early.given.nonce), swapper.address);
    const spends = await send(await spending(swapper, TOKENS.uni.address, FILLER, early.elsewhere.nonce));
    await ask(chain.url, 'anvil_mine', '0x40', '0xc');
    const clock = { now: () => Date.now() };
    const logger = createLogger({ name: 'test', level: 'silent' });
    const { check } = watchOrders(
      { network: ETH_MAINNET, node },
      {
        ...{ stores, clock, logger, lifecycle },
        ids: randomIds,
        telemetry: createTelemetry('orders'),
        settings: { pollMs: 20, maxPauseMs: 200 },
        onEnded: () => ended.push('one'),
      },
    );
    readiness = check;
    await searched();
    expect(await stateOf(early.filled)).toMatchObject(filled(fills));
    expect(await stateOf(early.given)).toMatchObject(cancelled('invalidated', gives));
    expect(await stateOf(early.elsewhere)).toMatchObject(
      cancelled('nonce-used-elsewhere', { block: spends.block }),
    );
    expect(await stateOf(early.open)).toEqual({ status: 'open' });
    expect(ended).toHaveLength(3);
  });

  it('are what the chain shows, once it is final, and not before', async () => {
    const one = await open();
    const old = await open({ by: OLD_V1 });
    const [first, second] = [await open(), await open({ of: other, by: V1 })];
    const [bought, lost] = [await open({ nonce: 77_777n }), await open({ nonce: 77_777n, by: V1 })];
    const given = await open();
    const elsewhere = await open();
    const lied = await open();
    await finalize();
    expect(ended).toHaveLength(3);

    const fills = await send(await fill(one));
    const oldFills = await send(await fill(old, { by: OLD_V1 }), FILLER);
    const both = [await fill(first), await fill(second, { by: V1, of: other })];
    const batch = await mined(await sendAndMine(chain.url, { from: FILLER, data: batchOf(both) }));
    const buys = await send(await fill(bought));
    const gives = await send(invalidation(given.nonce), swapper.address);
    const spends = await send(await spending(swapper, TOKENS.uni.address, FILLER, elsewhere.nonce));
    const said = { orderHash: lied.orderHash, filler: FILLER, swapper: swapper.address, nonce: lied.nonce };
    await send(fillBy(LIAR, said));
    await send(fillBy(LIAR, { ...said, orderHash: bought.orderHash }));
    await ask(chain.url, 'anvil_mine', '0x10', '0xc');
    await searched();
    await has(one, { status: 'open', fill: { ...(await seenIn(fills)), finalized: false } });
    expect(await stateOf(given)).toEqual({ status: 'open' });
    expect(ended).toHaveLength(3);

    // A nonce that no event names is looked at again some minutes later.
    await mine(chain.url, { timestamp: (await headOf('latest')).timestamp + 700 });
    await finalize();
    expect(await stateOf(one)).toMatchObject(filled(fills));
    expect(await stateOf(old)).toMatchObject(filled(oldFills));
    expect(await stateOf(first)).toMatchObject(filled(batch));
    expect(await stateOf(second)).toMatchObject(filled(batch));
    expect(await stateOf(bought)).toMatchObject(filled(buys));
    const sibling = { ...buys, sibling: bought.orderHash };
    expect(await stateOf(lost)).toMatchObject(cancelled('sibling', sibling));
    expect(await stateOf(given)).toMatchObject(cancelled('invalidated', gives));
    expect(await stateOf(elsewhere)).toMatchObject(
      cancelled('nonce-used-elsewhere', { block: spends.block }),
    );
    expect(await stateOf(lied)).toEqual({ status: 'open' });
    expect(ended).toHaveLength(11);
  });

  it('come one second after the deadline, and not in its second', async () => {
    const { timestamp } = await headOf('latest');
    const deadline = timestamp + 1_000;
    const [lapses, lasts] = [await open({ deadline }), await open({ deadline })];
    await mine(chain.url, { timestamp: deadline - 1 });
    // In the second of the deadline.
    await ask(chain.url, 'evm_setNextBlockTimestamp', deadline);
    const hash = await ask(chain.url, 'eth_sendTransaction', {
      from: FILLER,
      ...(await fill(lasts)),
      gas: '0xe4e1c0',
      gasPrice: '0x0',
    });
    await mine(chain.url, { timestamp: deadline });
    await mine(chain.url, { timestamp: deadline + 1 });
    const after = await headOf('latest');
    await ask(chain.url, 'anvil_mine', '0x3f', '0xc');
    await searched();
    expect((await headOf('finalized')).timestamp).toBe(deadline);
    expect(await stateOf(lapses)).toEqual({ status: 'open' });
    expect(await stateOf(lasts)).toMatchObject({ status: 'filled', transaction: hash });
    await ask(chain.url, 'anvil_mine', '0x1', '0xc');
    await searched();
    expect(await stateOf(lapses)).toMatchObject({ status: 'expired', finalized: true, block: after.number });
  });

  it('are told before they are final, and taken back by a reorganisation', async () => {
    const [moves, goes, stays] = [await open(), await open(), await open()];
    await finalize();
    const before = told.length;
    const stayed = await send(await fill(stays));
    const snapshot = await ask(chain.url, 'evm_snapshot');
    const [moved, gone] = [await send(await fill(moves)), await send(await fill(goes))];
    await ask(chain.url, 'anvil_mine', '0x3', '0xc');
    const [left, dropped] = [await seenIn(moved), await seenIn(gone)];
    await has(goes, { status: 'open', fill: { ...dropped, finalized: false } });
    await has(moves, { status: 'open', fill: { ...left, finalized: false } });
    // Another branch, which is longer, and has one of the two in another block.
    await ask(chain.url, 'evm_revert', snapshot);
    await ask(chain.url, 'anvil_mine', '0x5', '0xd');
    const again = await send(await fill(moves));
    expect(again.block).not.toBe(moved.block);
    await has(goes, { status: 'open', takenBack: dropped });
    await has(moves, { status: 'open', fill: { ...(await seenIn(again)), finalized: false } });
    await has(stays, { status: 'open', fill: { ...(await seenIn(stayed)), finalized: false } });
    expect(ended).toHaveLength(13);
    await publish();
    expect(told.slice(before)).toEqual([]);
    await finalize();
    expect(await stateOf(moves)).toMatchObject(filled(again));
    expect(await stateOf(stays)).toMatchObject(filled(stayed));
    expect(await stateOf(goes)).toEqual({ status: 'open', takenBack: dropped });
  });

  it('are told before they are final also of an order that comes after its fill was read', async () => {
    const late = make();
    const fills = await send(await fill(late));
    const witness = await open();
    const seen = await send(await fill(witness));
    await has(witness, { status: 'open', fill: { ...(await seenIn(seen)), finalized: false } });
    await store(late);
    await ask(chain.url, 'anvil_mine', '0x1', '0xc');
    await has(late, { status: 'open', fill: { ...(await seenIn(fills)), finalized: false } });
    await finalize();
    expect(await stateOf(late)).toMatchObject(filled(fills));
  });

  it('wait while no node answers, as /readyz shows, and are found once one does', async () => {
    const order = await open();
    await finalize();
    isAway = true;
    const fills = await send(await fill(order));
    await ask(chain.url, 'anvil_mine', '0x40', '0xc');
    await until('it says so', async () => /^at block \d+ since \S+Z; waiting: /.test(await readiness()));
    expect(await stateOf(order)).toEqual({ status: 'open' });
    isAway = false;
    await searched();
    expect(await stateOf(order)).toMatchObject(filled(fills));
  });

  it('are told once each, behind their orders', async () => {
    await publish();
    const ends = told.filter(({ end }) => end !== undefined);
    expect(ends).toHaveLength(ended.length);
    expect(new Set(ends.map(({ record }) => record.id)).size).toBe(ends.length);
    for (const { record, end, sequence } of ends) {
      expect((await stores.orders.find(record.id))?.state).toEqual(end?.state);
      const received = told.find((entry) => entry.record.id === record.id);
      expect(received?.sequence).toBeLessThan(sequence);
    }
  });
});
