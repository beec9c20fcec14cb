/** The contract of every store of orders, run over SQLite and MongoDB. */
import { toChecksum } from '@hindsight/chain/address.ts';
import { CheckpointConflict } from '@hindsight/indexing/position.ts';
import { DAY_MS } from '@hindsight/kernel/durations.ts';
import { describe, expect, it } from '@jest/globals';
import type { OrderRecord } from '../../src/domain/order-event.ts';
import { ORDER_TYPES } from '../../src/domain/order.ts';
import type { OrderFilter, OrderPlace } from '../../src/domain/order-list.ts';
import { OPEN, type OrderState } from '../../src/domain/order-state.ts';
import type { Batch, OrderStores, StoredOrder } from '../../src/ports.ts';

const NOW = Date.UTC(2026, 0, 1);

/** The part of an order that a store reads. */
export function recordOf(n: number, fields: Partial<OrderRecord> = {}): OrderRecord {
  const orderHash = `0x${n.toString(16).padStart(64, '0')}`;
  const address = `0x${'12'.repeat(20)}`;
  return {
    id: `1:${orderHash}`,
    network: 'eth-mainnet',
    projectId: 'p',
    receivedAt: NOW + n,
    payload: {
      orderHash,
      createdAt: new Date(NOW).toISOString(),
      signature: '0x1234',
      orderStatus: 'open',
      encodedOrder: '0x5678',
      chainId: 1,
      quoteId: undefined,
    },
    order: {
      type: 'Dutch_V2',
      reactor: address,
      swapper: address,
      nonce: String(2n ** 255n),
      deadline: NOW / 1000 + 60,
      additionalValidationContract: address,
      additionalValidationData: '0x',
      input: { token: address, startAmount: '1', endAmount: '2' },
      outputs: [],
      filler: null,
      cosigner: null,
      auction: { outputOverrides: ['0', '1'] },
    },
    ...fields,
  };
}

/** Every choice of filters. */
export function filtersOf(account: string): OrderFilter[] {
  const all = {
    projectId: 'p1',
    swapper: account,
    filler: account,
    status: 'filled',
    type: 'Dutch_V2',
  } as const;
  const names = Object.keys(all) as (keyof typeof all)[];
  return Array.from({ length: 1 << names.length }, (_, bits) => ({
    network: 'eth-mainnet',
    ...Object.fromEntries(names.flatMap((name, bit) => ((bits >> bit) & 1 ? [[name, all[name]]] : []))),
  }));
}

/** A returned record without undefined fields. */
function plain(record: OrderRecord): unknown {
  return JSON.parse(JSON.stringify(record));
}

const numbers = (batch: Batch | null): number[] => (batch?.entries ?? []).map(({ sequence }) => sequence);
const ids = (batch: Batch | null): string[] => (batch?.entries ?? []).map(({ record }) => record.id);

/** Describes a store. @param open gives a fresh, empty one; several opened on the same data when called with it */
export function describeOrderStores(name: string, open: () => Promise<OrderStores>): void {
  describe(`orders on ${name}`, () => {
    it('stores an order once, concurrent callers included', async () => {
      const { orders } = await open();
      const outcomes = await Promise.all(Array.from({ length: 20 }, () => orders.insert(recordOf(1))));
      expect(outcomes.filter((outcome) => outcome === 'stored')).toHaveLength(1);
      expect(outcomes.filter((outcome) => outcome === 'duplicate')).toHaveLength(19);
      expect(await orders.has(recordOf(1).id)).toBe(true);
      expect(await orders.has(recordOf(2).id)).toBe(false);
    });

    it('keeps how an order stands, and changes nothing that is final', async () => {
      const { orders } = await open();
      const { id } = recordOf(1);
      const seen = {
        filler: `0x${'34'.repeat(20)}`,
        transaction: `0x${'56'.repeat(32)}`,
        block: 9,
        blockHash: `0x${'78'.repeat(32)}`,
      };
      const fill: OrderState = { status: 'open', fill: { ...seen, finalized: false } };
      const back: OrderState = { status: 'open', takenBack: seen };
      expect(await orders.find(id)).toBeNull();
      expect(await orders.settle(id, fill, 0)).toBe('unknown');
      await orders.insert(recordOf(1));
      expect(await orders.find(id)).toEqual({ record: plain(recordOf(1)), state: OPEN });
      expect(await orders.settle(id, OPEN, 0)).toBe('unchanged');
      expect(await orders.settle(id, fill, 0)).toBe('changed');
      expect(await orders.settle(id, fill, 0)).toBe('unchanged');
      expect((await orders.find(id))?.state).toEqual(fill);
      const listed = await orders.list({ network: 'eth-mainnet', status: 'open' }, undefined, 2);
      expect(listed.map(({ state }) => state)).toEqual([fill]);
      // A reorganisation took it back.
      expect(await orders.settle(id, back, 0)).toBe('changed');
      expect((await orders.find(id))?.state).toEqual(back);
      expect(await orders.settle(id, OPEN, 0)).toBe('changed');
      const final = { status: 'filled', finalized: true, knownAt: 9, ...seen, amounts: null } as const;
      const ends = [final, { status: 'expired', finalized: true, knownAt: 20, block: 20 }] as const;
      const outcomes = await Promise.all([...ends, ...ends].map((state) => orders.settle(id, state, 0)));
      expect(outcomes.sort()).toEqual(['changed', 'final', 'final', 'unchanged']);
      const settled = (await orders.find(id))?.state;
      expect(ends).toContainEqual(settled);
      expect(await orders.settle(id, OPEN, 0)).toBe('final');
      expect(await orders.settle(id, fill, 0)).toBe('final');
      expect((await orders.find(id))?.state).toEqual(settled);
      // It is the order that it was, and known as a duplicate.
      expect(await orders.insert(recordOf(1))).toBe('duplicate');
      expect((await orders.find(id))?.record).toEqual(plain(recordOf(1)));
    });

    it('lists orders by any choice of filters, newest first, page by page', async () => {
      const { orders } = await open();
      const accounts = ['a1', 'b2'].map((byte) => `0x${byte.repeat(20)}`);
      const made = Array.from({ length: 48 }, (_, n) => {
        const fields = {
          network: n % 12 === 11 ? 'other' : 'eth-mainnet',
          projectId: `p${n % 2}`,
          // Three share each millisecond.
          receivedAt: NOW + Math.floor(n / 3),
          order: {
            ...recordOf(n).order,
            swapper: accounts[Math.floor(n / 2) % 2]!,
            type: ORDER_TYPES[n % ORDER_TYPES.length]!,
          },
        };
        const end = { finalized: true, knownAt: n } as const;
        const filled = { transaction: '0x1', block: n, blockHash: '0x2', amounts: null } as const;
        const states: readonly OrderState[] = [
          OPEN,
          { status: 'filled', ...end, ...filled, filler: accounts[n % 2]! },
          { status: 'cancelled', ...end, cause: 'invalidated' },
          { status: 'expired', ...end, block: n },
        ];
        return { record: recordOf(n, fields), state: states[Math.floor(n / 4) % 4]! };
      });
      // In another order than that of the list.
      for (const { record, state } of [...made.slice(20), ...made.slice(0, 20)]) {
        await orders.insert(record);
        if (state !== OPEN) expect(await orders.settle(record.id, state, 0)).toBe('changed');
      }
      const newestFirst = made.toSorted(
        ({ record: a }, { record: b }) => b.receivedAt - a.receivedAt || (a.id < b.id ? 1 : -1),
      );
      for (const filter of filtersOf(accounts[0]!)) {
        const { network, projectId, swapper, filler, status, type } = filter;
        const wanted = newestFirst.filter(
          ({ record, state }) =>
            record.network === network &&
            (projectId ?? record.projectId) === record.projectId &&
            (swapper ?? record.order.swapper) === record.order.swapper &&
            (filler === undefined || (state.status === 'filled' && state.filler === filler)) &&
            (status ?? state.status) === state.status &&
            (type ?? record.order.type) === record.order.type,
        );
        const found: StoredOrder[] = [];
        for (let after: OrderPlace | undefined; ;) {
          const page = await orders.list(filter, after, 7);
          found.push(...page);
          if (page.length < 7) break;
          after = page.at(-1)!.record;
        }
        expect({ filter, found: found.map(({ record: { id }, state }) => [id, state]) }).toEqual({
          filter,
          found: wanted.map(({ record: { id }, state }) => [id, state]),
        });
      }
      // An order that comes while a list is read is on no later page.
      const [first] = await orders.list({ network: 'eth-mainnet' }, undefined, 1);
      const before = await orders.list({ network: 'eth-mainnet' }, first!.record, 3);
      await orders.insert(recordOf(90, { receivedAt: NOW + 900 }));
      expect(await orders.list({ network: 'eth-mainnet' }, first!.record, 3)).toEqual(before);
    });

    it('watches orders that are published and have not ended', async () => {
      const { orders, outbox, ...stores } = await open();
      const swapper = `0x${'ab'.repeat(20)}`;
      const { order } = recordOf(0);
      const theirs = recordOf(3, { order: { ...order, swapper: toChecksum(swapper) } });
      const elsewhere = recordOf(4, { network: 'base-mainnet' });
      for (const record of [recordOf(1), recordOf(2), theirs, elsewhere]) await orders.insert(record);
      const mainnet = stores.watch('eth-mainnet');
      const due = async (time: number, limit = 10) =>
        (await mainnet.due(time, limit)).map(({ record, clearAt }) => [record.id, clearAt]);
      expect(await due(100)).toEqual([]);
      await outbox.lead('a', 0, 1);
      await outbox.finish('a', (await outbox.nextBatch('a', 10))!);
      const [one, two, three] = [1, 2, 3].map((n) => recordOf(n).id) as [string, string, string];
      expect(new Set(await due(100))).toEqual(new Set([one, two, three].map((id) => [id, null])));
      expect(await due(100, 2)).toHaveLength(2);
      await mainnet.noteClear([
        { id: one, clearAt: 7, lookAt: 90 },
        { id: two, clearAt: 7, lookAt: 80 },
      ]);
      await mainnet.postpone(three, 101);
      expect(await due(100)).toEqual([
        [two, 7],
        [one, 7],
      ]);
      expect(await due(79)).toEqual([]);
      expect(await Array.fromAsync(mainnet.ofSwappers([swapper], 10))).toEqual([
        [{ record: plain(theirs), clearAt: null }],
      ]);
      expect(await Array.fromAsync(mainnet.ofSwappers([`0x${'cd'.repeat(20)}`], 10))).toEqual([]);
      const seen = { filler: '0x12', transaction: '0x34', block: 8, blockHash: '0x56' };
      const fill = { ...seen, finalized: false } as const;
      for (const id of [one, two, three, elsewhere.id])
        expect(await orders.settle(id, { status: 'open', fill }, 0)).toBe('changed');
      expect(await orders.settle(two, { status: 'open', takenBack: seen }, 0)).toBe('changed');
      expect((await mainnet.seenFilled()).toSorted((a, b) => (a.id < b.id ? -1 : 1))).toEqual([
        { id: one, fill },
        { id: three, fill },
      ]);
      const end: OrderState = { status: 'expired', finalized: true, knownAt: 9, block: 9 };
      for (const id of [two, three]) expect(await orders.settle(id, end, 0)).toBe('changed');
      await mainnet.noteClear([{ id: two, clearAt: 9, lookAt: 0 }]);
      await mainnet.postpone(three, 0);
      expect(await due(1_000)).toEqual([[one, 7]]);
      expect(await mainnet.seenFilled()).toEqual([{ id: one, fill }]);
      expect(await Array.fromAsync(mainnet.ofSwappers([swapper], 10))).toEqual([]);
    });

    it('reads the orders of swappers in parts, while those before end', async () => {
      const { orders, outbox, ...stores } = await open();
      const mainnet = stores.watch('eth-mainnet');
      const { order } = recordOf(0);
      const swappers = ['12', 'ab', '34', 'cd'].map((byte) => `0x${byte.repeat(20)}`);
      const of = [0, 0, 0, 0, 0, 0, 0, 1, 2, 2];
      const records = of.map((at, n) =>
        recordOf(n + 1, { order: { ...order, swapper: toChecksum(swappers[at]!) } }),
      );
      for (const record of records) await orders.insert(record);
      await outbox.lead('a', 0, 1);
      await outbox.finish('a', (await outbox.nextBatch('a', 10))!);
      await mainnet.noteClear(
        records.slice(0, 4).map(({ id }, n) => ({ id, clearAt: 7, lookAt: n < 3 ? 80 : 90 })),
      );
      const parts: string[][] = [];
      for await (const part of mainnet.ofSwappers(swappers, 2)) {
        parts.push(part.map(({ record }) => record.id));
        const end = { status: 'expired', finalized: true, knownAt: 9, block: 9 } as const;
        for (const { record } of part) await orders.settle(record.id, end, 0);
      }
      expect(parts.every(({ length }) => length <= 2)).toBe(true);
      const found = parts.flat();
      expect(found.toSorted()).toEqual(records.map(({ id }) => id));
      const first = new Set(records.slice(0, 7).map(({ id }) => id));
      expect(found.filter((id) => first.has(id))).toEqual([5, 6, 7, 1, 2, 3, 4].map((n) => recordOf(n).id));
    });

    it('publishes the end of an order once, behind the order, under a number of the same source', async () => {
      const { orders, outbox, published } = await open();
      const end: OrderState = { status: 'expired', finalized: true, knownAt: 9, block: 9 };
      for (const n of [1, 2]) await orders.insert(recordOf(n));
      await outbox.lead('a', 0, 1);
      await outbox.finish('a', (await outbox.nextBatch('a', 10))!);
      const fill = {
        finalized: false,
        filler: '0x12',
        transaction: '0x34',
        block: 8,
        blockHash: '0x56',
      } as const;
      await orders.settle(recordOf(2).id, { status: 'open', fill }, 5);
      // A fill that can be taken back is no end yet.
      expect(await outbox.nextBatch('a', 10)).toBeNull();
      await orders.insert(recordOf(3));
      expect(await orders.settle(recordOf(2).id, end, 20)).toBe('changed');
      expect(await orders.settle(recordOf(1).id, end, 30)).toBe('changed');
      expect(await orders.settle(recordOf(1).id, end, 40)).toBe('unchanged');
      expect([await outbox.waiting(10), await outbox.waiting(2)]).toEqual([3, 2]);
      expect(await outbox.waitingSince()).toBe(20);
      const batch = await outbox.nextBatch('a', 10);
      const told = batch?.entries.map(({ sequence, record, end: one }) => [sequence, record.id, one]);
      expect(told).toEqual([
        [3, recordOf(3).id, undefined],
        [4, recordOf(2).id, { state: end, at: 20 }],
        [5, recordOf(1).id, { state: end, at: 30 }],
      ]);
      // Another relay repeats it under the same numbers.
      await outbox.lead('b', 1, 2);
      expect(await outbox.nextBatch('b', 10)).toEqual(batch);
      const later = { receivedBefore: 25 * NOW, deadlineBefore: 25 * NOW, openDeadlineBefore: 25 * NOW };
      expect(await orders.removeOld(later, 10)).toBe(0);
      await outbox.finish('b', batch!);
      expect(await outbox.nextBatch('b', 10)).toBeNull();
      expect(await published.read(2, 5, 10)).toEqual(batch?.entries);
      expect((await published.read(0, 5, 10)).map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4, 5]);
      expect((await published.read(1, 5, 2)).map(({ sequence }) => sequence)).toEqual([2, 3]);
      // An end is kept as long as an order is.
      expect(await orders.removeOld({ ...later, receivedBefore: 30 }, 10)).toBe(0);
      expect(await orders.removeOld(later, 10)).toBe(3);
    });

    it('keeps the position of each network, which one instance at a time moves', async () => {
      const stores = await open();
      const [mainnet, base] = [stores.watch('eth-mainnet'), stores.watch('base-mainnet')];
      const detail = { detail: '', finalized: null, blocksPerSecond: 0, logsPerSecond: 0, at: 0 };
      const lease = (holder: string, until: number) => ({
        ...{ holder, until },
        status: { state: 'following' as const, ...detail },
      });
      expect(await mainnet.position()).toBeNull();
      expect(await mainnet.claim(lease('a', 10), 0)).toBe(true);
      expect(await mainnet.claim(lease('b', 19), 9)).toBe(false);
      expect(await base.claim(lease('b', 10), 0)).toBe(true);
      expect(await mainnet.claim(lease('a', 20), 9)).toBe(true);
      expect(await mainnet.position()).toBeNull();
      const at = (number: number) => ({ from: 5, number, hash: `0x${number}`, movedAt: number * 10 });
      await mainnet.advance(null, at(5));
      await mainnet.advance(at(5), at(6));
      expect(await mainnet.position()).toEqual(at(6));
      for (const stale of [null, at(5), { ...at(6), hash: '0x7' }])
        await expect(mainnet.advance(stale, at(7))).rejects.toThrow(CheckpointConflict);
      expect(await mainnet.position()).toEqual(at(6));
      expect(await base.position()).toBeNull();
      expect(await mainnet.claim(lease('b', 30), 20)).toBe(true);
      await mainnet.release('a');
      expect(await mainnet.claim(lease('a', 40), 21)).toBe(false);
      await mainnet.release('b');
      expect(await mainnet.claim(lease('a', 40), 21)).toBe(true);
      expect(await mainnet.claim(lease('a', DAY_MS + 10), DAY_MS)).toBe(true);
      expect(await mainnet.claim(lease('b', 50), 40)).toBe(true);
      expect(await mainnet.position()).toEqual(at(6));
    });

    it('hands out stored orders, oldest first, under rising numbers', async () => {
      const { orders, outbox } = await open();
      for (const n of [1, 2, 3]) await orders.insert(recordOf(n));
      await outbox.lead('a', NOW, NOW + 1);
      const batch = await outbox.nextBatch('a', 2);
      expect(batch!.entries.map(({ record }) => record)).toEqual([1, 2].map((n) => plain(recordOf(n))));
      expect(numbers(batch)).toEqual([1, 2]);
      expect(await outbox.waiting(10)).toBe(3);
      expect(await outbox.waitingSince()).toBe(recordOf(1).receivedAt);
      await outbox.finish('a', batch!);
      expect(await outbox.waiting(10)).toBe(1);
      const rest = await outbox.nextBatch('a', 2);
      expect([ids(rest), numbers(rest)]).toEqual([[recordOf(3).id], [3]]);
      await outbox.finish('a', rest!);
      expect(await outbox.nextBatch('a', 2)).toBeNull();
      expect(await outbox.waitingSince()).toBeUndefined();
    });

    it('gives published orders to read by their numbers, and none of a batch under way', async () => {
      const { orders, outbox, published } = await open();
      const { source, sequence } = await published.head();
      expect(sequence).toBe(0);
      for (const n of [1, 2, 3, 4]) await orders.insert(recordOf(n));
      await outbox.lead('a', NOW, NOW + 100);
      const first = await outbox.nextBatch('a', 3);
      expect(await published.head()).toEqual({ source: first!.source, sequence: 0 });
      await outbox.finish('a', first!);
      expect(await published.head()).toEqual({ source, sequence: 3 });
      const second = await outbox.nextBatch('a', 3);
      expect((await published.head()).sequence).toBe(3);
      expect(await published.read(0, 3, 2)).toEqual(first!.entries.slice(0, 2));
      expect(await published.read(2, 3, 10)).toEqual(first!.entries.slice(2));
      expect(await published.read(3, 3, 10)).toEqual([]);
      await outbox.finish('a', second!);
      // A relay that was paused finishes its batch again: nothing changes.
      await outbox.finish('a', first!);
      expect(await published.head()).toEqual({ source, sequence: 4 });
      expect((await published.read(0, 4, 10)).map(({ sequence: number }) => number)).toEqual([1, 2, 3, 4]);
    });

    it('leaves out sequences, but not those of a batch under way', async () => {
      const { orders, outbox, published } = await open();
      for (const n of [1, 2, 3]) await orders.insert(recordOf(n));
      await outbox.lead('a', NOW, NOW + 100);
      expect(numbers(await outbox.nextBatch('a', 2))).toEqual([1, 2]);
      await outbox.skip(1_000);
      const again = await outbox.nextBatch('a', 2);
      expect(numbers(again)).toEqual([1, 2]);
      await outbox.finish('a', again!);
      const next = await outbox.nextBatch('a', 2);
      expect(numbers(next)).toEqual([1_003]);
      await outbox.finish('a', next!);
      const { sequence } = await published.head();
      expect(sequence).toBe(1_003);
      expect((await published.read(0, sequence, 10)).map((entry) => entry.sequence)).toEqual([1, 2, 1_003]);
    });

    it('lets one relay lead at a time, and another once it is silent or resigns', async () => {
      const { outbox } = await open();
      expect(await outbox.lead('a', NOW, NOW + 100)).toBe(true);
      expect(await outbox.lead('b', NOW + 50, NOW + 150)).toBe(false);
      expect(await outbox.lead('a', NOW + 50, NOW + 200)).toBe(true);
      expect(await outbox.lead('b', NOW + 200, NOW + 300)).toBe(true);
      expect(await outbox.lead('a', NOW + 210, NOW + 310)).toBe(false);
      await outbox.resign('b');
      expect(await outbox.lead('a', NOW + 220, NOW + 320)).toBe(true);
    });

    it('lets another relay lead once a clock that was ahead is right again', async () => {
      const { outbox } = await open();
      expect(await outbox.lead('a', NOW + DAY_MS, NOW + DAY_MS + 100)).toBe(true);
      expect(await outbox.lead('b', NOW, NOW + 100)).toBe(true);
      expect(await outbox.lead('a', NOW + 50, NOW + 150)).toBe(false);
    });

    it('gives no batch to a relay that does not lead', async () => {
      const { orders, outbox } = await open();
      await orders.insert(recordOf(1));
      expect(await outbox.nextBatch('a', 10)).toBeNull();
      await outbox.lead('a', NOW, NOW + 100);
      expect(await outbox.nextBatch('b', 10)).toBeNull();
    });

    it('repeats a batch under the same numbers when the relay that began it is gone', async () => {
      const { orders, outbox } = await open();
      for (const n of [1, 2]) await orders.insert(recordOf(n));
      await outbox.lead('a', NOW, NOW + 100);
      const begun = await outbox.nextBatch('a', 10);
      await orders.insert(recordOf(3));
      await outbox.lead('b', NOW + 100, NOW + 200);
      const again = await outbox.nextBatch('b', 10);
      expect(again).toEqual(begun);
      await outbox.finish('b', again!);
      // The first comes back from a long pause and finishes, too: nothing changes.
      await outbox.finish('a', begun!);
      expect(numbers(await outbox.nextBatch('b', 10))).toEqual([3]);
      await outbox.finish('a', begun!);
      expect(numbers(await outbox.nextBatch('b', 10))).toEqual([3]);
    });

    it('gives each order one number, however many relays contend', async () => {
      const { orders, outbox } = await open();
      await Promise.all(Array.from({ length: 60 }, (_, n) => orders.insert(recordOf(n))));
      const sent = new Map<string, Set<number>>();
      const relay = async (name: string): Promise<void> => {
        for (let pass = 0; pass < 30; pass++) {
          // Leases of no length: the lead changes at every step.
          await outbox.lead(name, NOW, NOW);
          const batch = await outbox.nextBatch(name, 4);
          for (const { record, sequence } of batch?.entries ?? []) {
            sent.set(record.id, (sent.get(record.id) ?? new Set()).add(sequence));
          }
          if (batch && pass % 3 > 0) await outbox.finish(name, batch);
        }
      };
      await Promise.all(['a', 'b', 'c'].map(relay));
      await outbox.lead('d', NOW, NOW + 100);
      for (let batch = await outbox.nextBatch('d', 10); batch; batch = await outbox.nextBatch('d', 10)) {
        for (const { record, sequence } of batch.entries) {
          sent.set(record.id, (sent.get(record.id) ?? new Set()).add(sequence));
        }
        await outbox.finish('d', batch);
      }
      expect(sent.size).toBe(60);
      for (const sequences of sent.values()) expect(sequences.size).toBe(1);
      const all = [...sent.values()].flatMap((sequences) => [...sequences]);
      expect(new Set(all).size).toBe(60);
      expect(await outbox.waiting(10)).toBe(0);
    });

    it('removes orders that are sent, old, and past their deadline; nothing else', async () => {
      const { orders, outbox } = await open();
      const deadline = (n: number, at: number) =>
        recordOf(n, { order: { ...recordOf(n).order, deadline: at } });
      for (const record of [deadline(1, 100), deadline(2, 100), deadline(3, 900)])
        await orders.insert(record);
      const before = { receivedBefore: NOW + 1_000, deadlineBefore: 500, openDeadlineBefore: 500 };
      expect(await orders.removeOld(before, 10)).toBe(0);
      await outbox.lead('a', NOW, NOW + 100);
      const batch = await outbox.nextBatch('a', 10);
      await outbox.finish('a', batch!);
      expect(await orders.removeOld({ ...before, receivedBefore: NOW }, 10)).toBe(0);
      expect(await orders.removeOld(before, 1)).toBe(1);
      expect(await orders.removeOld(before, 10)).toBe(1);
      expect(await orders.has(recordOf(3).id)).toBe(true);
    });

    describe('pending orders', () => {
      const pendingOf = (n: number, claim: string) => ({
        ...recordOf(n),
        claim,
        digest: '0xd1',
        attempts: 0,
      });

      const dueBy = (own: number, others = 0) => ({ chainIds: [recordOf(1).payload.chainId], own, others });

      it('are kept once per claim, and those due are handed out to one caller', async () => {
        const { pending: store } = await open();
        expect(await store.add(pendingOf(1, 'x'), NOW)).toBe('stored');
        expect(await store.add(pendingOf(1, 'x'), NOW)).toBe('duplicate');
        expect(await store.add(pendingOf(1, 'y'), NOW + 50)).toBe('stored');
        const [first, ...others] = await store.takeDue(dueBy(NOW), NOW + 100, 10);
        expect(first).toEqual({ ...(plain(recordOf(1)) as object), claim: 'x', digest: '0xd1', attempts: 1 });
        expect(others).toEqual([]);
        expect((await store.takeDue(dueBy(NOW + 50), NOW + 100, 10)).map(({ claim }) => claim)).toEqual([
          'y',
        ]);
        expect(await store.takeDue(dueBy(NOW + 99), NOW + 200, 10)).toEqual([]);
        expect(await store.takeDue(dueBy(NOW + 100), NOW + 200, 10)).toHaveLength(2);
      });

      it('of other chains are left to others until they are due for longer', async () => {
        const { pending: store } = await open();
        const { payload, ...rest } = pendingOf(1, 'other');
        await store.add({ ...rest, payload: { ...payload, chainId: 77 } }, NOW);
        await store.add(pendingOf(2, 'own'), NOW + 1);
        expect(
          (await store.takeDue(dueBy(NOW + 9, NOW - 1), NOW + 10, 10)).map(({ claim }) => claim),
        ).toEqual(['own']);
        const taken = await store.takeDue(dueBy(NOW + 9, NOW), NOW + 10, 10);
        expect(taken.map(({ claim, attempts }) => [claim, attempts])).toEqual([['other', 1]]);
      });

      it('can be postponed and removed', async () => {
        const { pending: store } = await open();
        await store.add(pendingOf(1, 'x'), NOW);
        await store.add(pendingOf(2, 'y'), NOW);
        await store.postpone('x', NOW + 500);
        await store.remove('y');
        expect(await store.takeDue(dueBy(NOW + 499), NOW + 600, 10)).toEqual([]);
        expect(
          (await store.takeDue(dueBy(NOW + 500), NOW + 600, 10)).map(({ attempts }) => attempts),
        ).toEqual([1]);
      });
    });
  });
}
