/** The contract of every store of the token index. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { IndexLease } from '@hindsight/indexing/lease.ts';
import { CheckpointConflict } from '@hindsight/indexing/position.ts';
import { STATUS } from '@hindsight/indexing/test/support/status.ts';
import { DAY_MS } from '@hindsight/kernel/durations.ts';
import fc from 'fast-check';
import { foldText, type ListFilter } from '../../src/domain/lists.ts';
import { TOKEN_TYPES, type Token } from '../../src/domain/token.ts';
import { describeIndexState } from '../../src/index-snapshot.ts';
import type { Checkpoint, TokenIndex, TokenRows } from '../../src/ports.ts';
import {
  addressOf,
  appendAll,
  listed,
  matching,
  rangeOf,
  rowsAsBefore,
  tokenOf,
  tokensUpTo,
  type RowsAsBefore,
} from './index.fixtures.contract.ts';

/** A newly opened store. */
export interface OpenIndex {
  readonly index: TokenIndex;
  /** Opens the same store again, as another process would. */
  another(): Promise<TokenIndex>;
  /** Writes an index as 0.2.0 did: without the words in names. */
  writeAsBefore(base: Omit<Checkpoint, 'words'>, rows: RowsAsBefore): Promise<void>;
  close(): Promise<void>;
}

const SEARCHES = [
  ...['u', 'UNI', 'usd', 'usd ', 'Uniswap V', 'ÜB', '龍', '$', 'nothing so'],
  ...['coin', 'oin', 'v2', 'V', 'kitt', 'protocol', 'swap'],
];

const FILTERS: readonly ListFilter[] = [undefined, ...TOKEN_TYPES].flatMap((type) => [
  { type },
  ...SEARCHES.map((search) => ({ type, prefix: foldText(search) })),
]);

/** All pages; the last one is short, and so the total is that of what was found. */
async function readWhole(index: TokenIndex, filter: ListFilter, limit: number): Promise<Token[]> {
  const found: Token[] = [];
  for (let page = 0; ; page++) {
    const { tokens, total } = await index.page(filter, page * limit, limit);
    found.push(...tokens);
    expect(tokens.length).toBe(Math.max(0, Math.min(limit, total - page * limit)));
    if (tokens.length < limit) return found;
  }
}

/** The suite. `properties`: number of random cases of each property. */
export function describeTokenIndex(open: () => Promise<OpenIndex>, properties: number): void {
  let store: OpenIndex;
  let index: TokenIndex;
  beforeEach(async () => {
    store = await open();
    index = store.index;
  });
  afterEach(() => store.close());

  describeLists(() => index, open, properties);
  describeChanges(() => store);
  describeLooks(() => index);
  describeOlder(() => store);
  describeLease(() => index);
}

function describeLists(index: () => TokenIndex, open: () => Promise<OpenIndex>, properties: number): void {
  describe('the lists', () => {
    it('are empty before the first range', async () => {
      expect(await index().checkpoint()).toBeNull();
      for (const filter of FILTERS)
        expect(await index().page(filter, 0, 10)).toEqual({ total: 0, tokens: [] });
      expect(await index().find(addressOf(1))).toBeNull();
    });

    it('contain the matching tokens, in order, page by page', async () => {
      const tokens = tokensUpTo(100);
      await appendAll(index(), tokens, [105, 131, 140]);
      for (const filter of FILTERS) {
        expect(await readWhole(index(), filter, 7)).toEqual(matching(tokens.map(listed), filter));
      }
      expect((await index().page({}, 0, 1000)).tokens).toEqual(tokens.map(listed));
    });

    it('keep a page unchanged while the list grows', async () => {
      const tokens = tokensUpTo(60);
      await appendAll(index(), tokens, [110]);
      const before = new Map<ListFilter, readonly Token[]>();
      for (const filter of FILTERS) before.set(filter, (await index().page(filter, 2, 4)).tokens);
      await appendAll(index(), tokens, [120, 130]);
      for (const [filter, page] of before)
        expect((await index().page(filter, 2, 4)).tokens.slice(0, page.length)).toEqual(page);
    });

    it('find a token by its address in any case', async () => {
      await appendAll(index(), tokensUpTo(9), [120]);
      expect(await index().find(addressOf(4))).toEqual(listed(tokenOf(4)));
      expect(await index().find(addressOf(4).toLowerCase())).toEqual(listed(tokenOf(4)));
      expect(await index().find(addressOf(70))).toBeNull();
    });

    it('are the same however the blocks are cut into ranges', async () => {
      const tokens = tokensUpTo(40);
      const cuts = fc.uniqueArray(fc.integer({ min: 100, max: 119 }), { maxLength: 12 });
      await fc.assert(
        fc.asyncProperty(cuts, async (ends) => {
          const store = await open();
          try {
            await appendAll(store.index, tokens, [...ends.sort((a, b) => a - b), 120]);
            for (const filter of FILTERS)
              expect(await readWhole(store.index, filter, 50)).toEqual(matching(tokens.map(listed), filter));
          } finally {
            await store.close();
          }
        }),
        { numRuns: properties, seed: 1 },
      );
    });
  });
}

function describeChanges(store: () => OpenIndex): void {
  describe('a range', () => {
    it('advances the checkpoint together with its contents', async () => {
      const { index } = store();
      const first = await appendAll(index, tokensUpTo(9), [100, 101]);
      expect(first).toMatchObject({ from: 100, number: 101, hash: rangeOf(0, 101, []).hash, count: 6 });
      expect(await index.checkpoint()).toEqual(first);
      const second = await index.append(first, rangeOf(102, 200, []));
      expect(second).toMatchObject({ from: 100, number: 200, count: 6 });
      expect(await (await store().another()).checkpoint()).toEqual(second);
    });

    it('is refused unless it follows the checkpoint', async () => {
      const { index } = store();
      const base = await appendAll(index, [], [100]);
      await expect(index.append(base, rangeOf(102, 110, []))).rejects.toThrow('does not follow');
      await expect(index.append(base, rangeOf(100, 110, []))).rejects.toThrow('does not follow');
    });

    it('is refused if another instance has advanced the checkpoint', async () => {
      const { index } = store();
      const another = await store().another();
      const tokens = tokensUpTo(30);
      const base = await appendAll(index, tokens, [101]);
      const moved = await another.append(base, rangeOf(102, 103, tokens));
      await expect(index.append(base, rangeOf(102, 109, tokens))).rejects.toThrow(CheckpointConflict);
      await expect(index.append(null, rangeOf(100, 109, tokens))).rejects.toThrow(CheckpointConflict);
      const empty = await another.append(moved, rangeOf(104, 104, []));
      await expect(index.append(moved, rangeOf(104, 109, tokens))).rejects.toThrow(CheckpointConflict);
      expect(await index.resume()).toEqual(empty);
      expect((await index.page({}, 0, 100)).tokens).toEqual(tokens.slice(0, empty.count).map(listed));
    });

    it('remembers which contracts are not tokens', async () => {
      const { index } = store();
      const tokens = tokensUpTo(3);
      const other = addressOf(50).toLowerCase();
      await index.append(null, { ...rangeOf(100, 101, tokens), others: [other] });
      const asked = [0, 2, 50, 51].map((i) => addressOf(i).toLowerCase());
      expect(await index.unseen(asked)).toEqual([asked[3]]);
      expect(await index.unseen([])).toEqual([]);
    });
  });
}

function describeLooks(index: () => TokenIndex): void {
  describe('a later look', () => {
    const nameless = tokenOf(1, { name: '', symbol: 'NONE', lookAt: 500 });
    const named = { name: 'Uniswap Late', symbol: 'NONE', decimals: 8 };
    const tokens = tokensUpTo(9).map((token) => (token.address === nameless.address ? nameless : token));

    it('is due from its height on', async () => {
      await appendAll(index(), tokens, [110]);
      expect(await index().due(499, 10)).toEqual([]);
      expect(await index().due(500, 10)).toEqual([{ token: listed(nameless), looks: 0 }]);
    });

    it('fills in a name, by which the token can then be found', async () => {
      const base = await appendAll(index(), tokens, [110]);
      const before = await index().page({ prefix: 'uni' }, 0, 10);
      await index().noteLooks(base, [{ address: nameless.address, names: named, lookAt: null }]);
      const late = { ...listed(nameless), ...named };
      expect(await index().find(nameless.address)).toEqual(late);
      expect(await index().page({ prefix: 'uni' }, 0, 10)).toEqual({
        total: before.total + 1,
        // At the end: the pages that were there stay as they were.
        tokens: [...before.tokens, late],
      });
      expect((await index().page({ prefix: 'none', type: late.type }, 0, 10)).tokens).toEqual([late]);
      expect(await index().due(10_000, 10)).toEqual([]);
    });

    it('is postponed while the name is still missing', async () => {
      const base = await appendAll(index(), tokens, [110]);
      const { name, symbol, decimals } = nameless;
      const look = { address: nameless.address, names: { name, symbol, decimals }, lookAt: 900 };
      const after = await index().noteLooks(base, [look]);
      expect(await index().due(899, 10)).toEqual([]);
      expect(await index().due(900, 10)).toEqual([{ token: listed(nameless), looks: 1 }]);
      await index().append(after, rangeOf(111, 120, []));
    });

    it('is refused if another instance has advanced the checkpoint', async () => {
      const base = await appendAll(index(), tokens, [110]);
      await index().append(base, rangeOf(111, 111, [tokenOf(60, { blockHeight: 111 })]));
      const look = { address: nameless.address, names: named, lookAt: null };
      await expect(index().noteLooks(base, [look])).rejects.toThrow(CheckpointConflict);
      expect(await index().find(nameless.address)).toEqual(listed(nameless));
    });
  });
}

function describeOlder(store: () => OpenIndex): void {
  describe('the list of a version without words', () => {
    const tokens = tokensUpTo(30);
    const { hash } = rangeOf(100, 109, []);
    const base = { from: 100, number: 109, hash, count: 30, version: 1 };

    beforeEach(() => store().writeAsBefore(base, rowsAsBefore(tokens)));

    it('is found by the words once they are added, some tokens at a time, behind what was there', async () => {
      const { index } = store();
      const before = new Map<ListFilter, TokenRows>();
      for (const filter of FILTERS) before.set(filter, await index.page(filter, 0, 50));
      expect((await index.page({ prefix: 'coin' }, 0, 50)).total).toBe(0);
      let checkpoint = (await index.resume())!;
      expect(checkpoint).toEqual({ ...base, words: 0 });
      for (const words of [13, 26, 30]) {
        checkpoint = await index.addWords(checkpoint, 13);
        expect(checkpoint).toEqual({ ...base, version: checkpoint.version, words });
      }
      for (const [filter, page] of before) {
        const whole = matching(tokens.map(listed), filter);
        const { total, tokens: found } = await index.page(filter, 0, 50);
        expect(found.slice(0, page.total)).toEqual(page.tokens);
        expect([total, new Set(found)]).toEqual([whole.length, new Set(whole)]);
      }
      const grown = await index.append(checkpoint, rangeOf(110, 110, [tokenOf(60, { blockHeight: 110 })]));
      expect(grown).toMatchObject({ count: 31, words: 31 });
    });

    it('refuses changes before, and words on a stale checkpoint', async () => {
      const { index } = store();
      const stale = (await index.resume())!;
      await expect(index.append(stale, rangeOf(110, 110, []))).rejects.toThrow(
        '30 tokens are not listed by the words in their names yet',
      );
      await expect(index.noteLooks(stale, [])).rejects.toThrow('30 tokens are not listed by the words');
      await index.addWords(stale, 5);
      await expect(index.addWords(stale, 5)).rejects.toThrow(CheckpointConflict);
    });
  });
}

function describeLease(index: () => TokenIndex): void {
  describe('the lease', () => {
    const lease = (holder: string, until: number): IndexLease => ({ holder, until, status: STATUS });

    it('is held by one at a time, until it runs out', async () => {
      expect(await index().lease()).toBeNull();
      expect(await index().claim(lease('a', 100), 50)).toBe(true);
      expect(await index().claim(lease('b', 150), 99)).toBe(false);
      expect(await index().claim(lease('a', 200), 99)).toBe(true);
      expect(await index().lease()).toEqual(lease('a', 200));
      expect(await index().claim(lease('b', 300), 200)).toBe(true);
      expect(await index().claim(lease('a', 400), 201)).toBe(false);
      const ahead = 300 + DAY_MS;
      expect(await index().claim(lease('a', ahead + 100), ahead)).toBe(true);
      expect((await describeIndexState(index(), 300)).indexer).toBeNull();
      expect((await describeIndexState(index(), ahead)).indexer).toBe('a');
      expect(await index().claim(lease('b', 400), 300)).toBe(true);
    });

    it('can be released early, by its holder only', async () => {
      await index().claim(lease('a', 1000), 0);
      await index().release('b');
      expect(await index().claim(lease('b', 2000), 1)).toBe(false);
      await index().release('a');
      expect(await index().claim(lease('b', 2000), 1)).toBe(true);
    });
  });
}
