/** Contract of every engine of the index of holders. */
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { CheckpointConflict, type Position } from '@hindsight/indexing/position.ts';
import { STATUS } from '@hindsight/indexing/test/support/status.ts';
import { cases } from '@hindsight/kernel/test/support/rounds.ts';
import fc from 'fast-check';
import { INDEX_VERSION } from '../../src/domain/index-version.ts';
import { partOf } from '../../src/domain/track-parts.ts';
import { ALL_TOKENS } from '../../src/domain/tracks.ts';
import type { Approval, Point } from '../../src/domain/points.ts';
import type {
  BlocksQuestion,
  ExportRow,
  HolderIndex,
  HoldersQuestion,
  TouchedRange,
} from '../../src/ports.ts';
import { readParquet } from '../support/read-parquet.ts';

/** An open store of its own. */
export interface OpenIndex {
  readonly index: HolderIndex;
  /** The same store opened again, as the next process would. */
  reopen(): Promise<HolderIndex>;
  close(): Promise<void>;
  /** Gives it another version; null as from before versions were recorded. */
  setVersion(version: number | null): Promise<void>;
  /** Files that are being made. */
  exports(): Promise<number>;
}

const address = (i: number): string => `0x${i.toString(16).padStart(2, '0').repeat(20)}`;
const hash = (block: number): string => `0x${block.toString(16).padStart(64, '0')}`;
const point = (token: number, holder: number, block: number, id: bigint | null = null): Point => ({
  token: address(token),
  holder: address(holder),
  id,
  block,
});
const approval = (
  token: number,
  owner: number,
  spender: number,
  block: number,
  kind: Approval['kind'] = 'token',
): Approval => ({
  token: address(token),
  owner: address(owner),
  spender: address(spender),
  kind,
  block,
});
const range = (
  from: number,
  to: number,
  points: readonly Point[] = [],
  approvals: readonly Approval[] = [],
): TouchedRange => ({ from, to, hash: hash(to), points, approvals });

async function holdersOf(
  index: HolderIndex,
  question: Partial<HoldersQuestion> & { upTo: number },
): Promise<readonly string[]> {
  const found: string[] = [];
  const asked = { track: ALL_TOKENS, token: address(1), limit: 10_000, ...question };
  for await (const part of index.holders(asked)) found.push(...part);
  return found;
}

/** Describes an engine. @param open opens an empty store */
export function describeHolderIndex(open: () => Promise<OpenIndex>, runs: number): void {
  let store: OpenIndex;
  beforeEach(async () => {
    store = await open();
  });
  afterEach(() => store.close());

  it('is empty at first', async () => {
    expect(await store.index.position(ALL_TOKENS)).toBeNull();
    expect(await holdersOf(store.index, { upTo: 100 })).toEqual([]);
    expect(await store.index.lease(ALL_TOKENS)).toBeNull();
  });

  it('lists each holder once, in the order of addresses, up to a block', async () => {
    const points = [point(1, 0xff, 10), point(1, 3, 10), point(1, 3, 12), point(2, 4, 10), point(1, 0, 13)];
    await store.index.append(ALL_TOKENS, null, range(10, 20, points));
    expect(await holdersOf(store.index, { upTo: 9 })).toEqual([]);
    expect(await holdersOf(store.index, { upTo: 10 })).toEqual([address(3), address(0xff)]);
    expect(await holdersOf(store.index, { upTo: 20 })).toEqual([address(0), address(3), address(0xff)]);
    expect(await holdersOf(store.index, { upTo: 20, after: address(3) })).toEqual([address(0xff)]);
    expect(await holdersOf(store.index, { upTo: 20, token: address(2) })).toEqual([address(4)]);
  });

  it('has all points of a block that a batch has filled', async () => {
    const ids = 60_001;
    const points = Array.from({ length: ids }, (_, id) => point(1, 1, 5, BigInt(id)));
    await store.index.append(ALL_TOKENS, null, range(5, 5, points));
    const asked = { track: ALL_TOKENS, token: address(1), from: 5, to: 5 };
    expect(await store.index.points(asked)).toHaveLength(ids);
  });

  it('tells ids apart, of up to 256 bits, and none from the id 0', async () => {
    const largest = 2n ** 256n - 1n;
    const points = [point(1, 1, 5), point(1, 2, 5, 0n), point(1, 3, 5, largest), point(1, 2, 5, largest)];
    await store.index.append(ALL_TOKENS, null, range(5, 5, points));
    expect(await holdersOf(store.index, { upTo: 5, id: 0n })).toEqual([address(2)]);
    expect(await holdersOf(store.index, { upTo: 5, id: largest })).toEqual([address(2), address(3)]);
    expect(await holdersOf(store.index, { upTo: 5 })).toEqual([1, 2, 3].map(address));
  });

  it('moves each track by itself, over ranges that follow each other', async () => {
    const token = address(1);
    let base: Position | null = null;
    base = await store.index.append(token, base, range(100, 149, [point(1, 1, 120)]));
    base = await store.index.append(token, base, range(150, 150));
    expect(base).toEqual({ from: 100, number: 150, hash: hash(150) });
    expect(await store.index.position(token)).toEqual(base);
    expect(await store.index.position(ALL_TOKENS)).toBeNull();
    await expect(store.index.append(token, base, range(152, 160))).rejects.toThrow(RangeError);
    expect(await store.index.position(token)).toEqual(base);
  });

  it('has the positions of several tracks by one question, in their order, each with its own parts', async () => {
    const [one, two, none] = [address(1), address(2), address(3)];
    await store.index.append(one, null, range(10, 20));
    await store.index.append(two, null, range(15, 18));
    const part = partOf(two, 5);
    const base = await store.index.append(part, null, range(5, 9));
    await store.index.append(part, base, range(10, 14));
    const positions = [
      null,
      { from: 5, number: 18, hash: hash(18) },
      { from: 10, number: 20, hash: hash(20) },
    ];
    expect(await store.index.positions([none, two, one])).toEqual(positions);
    expect(await store.index.position(part)).toEqual({ from: 5, number: 14, hash: hash(14) });
  });

  it('refuses what is based on another position, and writes none of it', async () => {
    const first = await store.index.append(ALL_TOKENS, null, range(1, 10));
    const second = await store.index.append(ALL_TOKENS, first, range(11, 20));
    const stale = range(11, 15, [point(1, 7, 12)]);
    await expect(store.index.append(ALL_TOKENS, first, stale)).rejects.toThrow(CheckpointConflict);
    await expect(store.index.append(ALL_TOKENS, null, stale)).rejects.toThrow(CheckpointConflict);
    expect(await store.index.position(ALL_TOKENS)).toEqual(second);
    expect(await holdersOf(store.index, { upTo: 20 })).toEqual([]);
    expect((await store.index.append(ALL_TOKENS, second, range(21, 22))).number).toBe(22);
  });

  it('has the holders of earlier blocks, once they are added, also in lists that were read before', async () => {
    const one = address(1);
    await store.index.append(one, null, range(11, 20, [point(1, 3, 12), point(1, 9, 12)]));
    const behind = () => holdersOf(store.index, { track: one, token: one, upTo: 20, after: address(2) });
    expect(await behind()).toEqual([3, 9].map(address));
    await store.index.append(partOf(one, 1), null, range(1, 10, [point(1, 5, 2)]));
    expect(await behind()).toEqual([3, 5, 9].map(address));
  });

  it('answers the first of its holders where that is all that is wanted', async () => {
    const points = [3, 1, 2, 1].map((holder, i) => point(1, holder, i + 1));
    await store.index.append(ALL_TOKENS, null, range(1, 10, points));
    expect(await holdersOf(store.index, { upTo: 10, limit: 2 })).toEqual([address(1), address(2)]);
    const behind = { upTo: 10, after: address(1), limit: 1 };
    expect(await holdersOf(store.index, behind)).toEqual([address(2)]);
    expect(await holdersOf(store.index, { ...behind, limit: 9 })).toEqual([address(2), address(3)]);
    expect(await holdersOf(store.index, { ...behind, after: `0x${'01'.repeat(19)}00` })).toEqual([
      address(1),
    ]);
    expect(await holdersOf(store.index, { ...behind, upTo: 2 })).toEqual([address(3)]);
    expect(await holdersOf(store.index, { ...behind, after: address(3) })).toEqual([]);
  });

  it('names the blocks in which a token or a holder was touched, in order', async () => {
    const points = [
      ...[point(1, 3, 10), point(2, 3, 10), point(2, 4, 11), point(1, 4, 12, 7n), point(1, 4, 12, 8n)],
      ...[point(3, 3, 13), point(1, 3, 14)],
    ];
    await store.index.append(ALL_TOKENS, null, range(10, 20, points));
    const blocks = async (asked: Partial<BlocksQuestion>) => {
      const any = { tokens: null, holder: undefined, from: 0, to: 20, newest: false, limit: 100 };
      const found = await store.index.blocks({ ...any, ...asked });
      return found.map(({ number, tokens }) => [number, ...tokens.toSorted()]);
    };
    const [one, two, three] = [1, 2, 3].map(address) as [string, string, string];
    expect(await blocks({ tokens: [one] })).toEqual([
      [10, one],
      [12, one],
      [14, one],
    ]);
    expect(await blocks({ tokens: [one], newest: true, limit: 2 })).toEqual([
      [14, one],
      [12, one],
    ]);
    expect(await blocks({ tokens: [one], from: 11, to: 13 })).toEqual([[12, one]]);
    expect(await blocks({ holder: address(3) })).toEqual([
      [10, one, two],
      [13, three],
      [14, one],
    ]);
    expect(await blocks({ holder: address(3), tokens: [one, three] })).toEqual([
      [10, one],
      [13, three],
      [14, one],
    ]);
    expect(await blocks({ holder: address(9) })).toEqual([]);
  });

  it('names the tokens and ids that touched an account up to a block, by the last time, the newest first', async () => {
    const points = [
      ...[point(1, 3, 10), point(2, 3, 11), point(2, 4, 12), point(1, 3, 13), point(3, 3, 14, 7n)],
      ...[point(3, 3, 14, 8n), point(3, 3, 15, 0n), point(3, 3, 16)],
    ];
    await store.index.append(ALL_TOKENS, null, range(10, 20, points));
    const tokens = async (upTo: number, limit = 100) => {
      const found = await store.index.tokensOf({ account: address(3), upTo, limit });
      return found.map(({ token, id, block }) => [token, id, block]);
    };
    const [one, two, three] = [1, 2, 3].map(address);
    expect(await tokens(9)).toEqual([]);
    expect(await tokens(12)).toEqual([
      [two, null, 11],
      [one, null, 10],
    ]);
    const whole = [
      [three, null, 16],
      [three, 0n, 15],
      [three, 7n, 14],
      [three, 8n, 14],
      [one, null, 13],
      [two, null, 11],
    ];
    expect(await tokens(20)).toEqual(whole);
    expect(await tokens(20, 3)).toEqual(whole.slice(0, 3));
  });

  it('names the spenders that an owner approved up to a block, operators apart, the newest first', async () => {
    const approvals = [
      ...[approval(1, 3, 8, 10), approval(1, 3, 8, 11, 'operator'), approval(1, 4, 8, 12)],
      ...[approval(1, 3, 9, 13), approval(2, 3, 8, 14, 'permit2'), approval(1, 3, 8, 15)],
    ];
    let base = await store.index.append(ALL_TOKENS, null, range(10, 12, [], approvals.slice(0, 3)));
    base = await store.index.append(ALL_TOKENS, base, range(13, 20, [], approvals.slice(3)));
    expect(base.number).toBe(20);
    const spenders = async (upTo: number, limit = 100) => {
      const found = await store.index.approvalsOf({ account: address(3), upTo, limit });
      return found.map(({ token, spender, kind, block }) => [token, spender, kind, block]);
    };
    const [one, two, eight, nine] = [1, 2, 8, 9].map(address);
    expect(await spenders(9)).toEqual([]);
    expect(await spenders(12)).toEqual([
      [one, eight, 'operator', 11],
      [one, eight, 'token', 10],
    ]);
    const whole = [
      [one, eight, 'token', 15],
      [two, eight, 'permit2', 14],
      [one, nine, 'token', 13],
      [one, eight, 'operator', 11],
    ];
    expect(await spenders(20)).toEqual(whole);
    expect(await spenders(20, 3)).toEqual(whole.slice(0, 3));
    expect((await store.index.size()).rows).toBe(approvals.length);
    await store.index.remove(ALL_TOKENS);
    expect(await spenders(20)).toEqual([]);
    // The same ranges again, as inserts that were made before.
    base = await store.index.append(ALL_TOKENS, null, range(10, 12, [], approvals.slice(0, 3)));
    await store.index.append(ALL_TOKENS, base, range(13, 20, [], approvals.slice(3)));
    expect(await spenders(20)).toEqual(whole);
  });

  it('keeps everything over a restart', async () => {
    const base = await store.index.append(ALL_TOKENS, null, range(1, 10, [point(1, 7, 2)]));
    const again = await store.reopen();
    expect(await again.position(ALL_TOKENS)).toEqual(base);
    expect(await holdersOf(again, { upTo: 10 })).toEqual([address(7)]);
    await again.append(ALL_TOKENS, base, range(11, 12, [point(1, 8, 11)]));
    expect(await holdersOf(again, { upTo: 12 })).toEqual([address(7), address(8)]);
  });

  it('refuses an index of another version, and says how to rebuild it', async () => {
    await store.index.append(address(1), null, range(1, 10, [point(1, 7, 2)]));
    await store.setVersion(INDEX_VERSION + 1);
    const read = async (): Promise<Position | null> => (await store.reopen()).position(address(1));
    await expect(read()).rejects.toThrow(
      `version ${INDEX_VERSION + 1}; this Hindsight reads version ${INDEX_VERSION}: stop the service and remove `,
    );
    await expect(read()).rejects.toThrow(/all is indexed again from the chain/);
    await store.setVersion(INDEX_VERSION);
    expect((await read())?.number).toBe(10);
  });

  it('without a version, is read while it is empty, which records the version', async () => {
    await store.index.append(address(1), null, range(1, 10, [point(1, 7, 2)]));
    const read = async (): Promise<Position | null> => (await store.reopen()).position(address(1));
    expect((await read())?.number).toBe(10);
    await store.setVersion(null);
    await expect(read()).rejects.toThrow(/it has no version; this Hindsight reads version/);
  });

  it('keeps the last report of a lease', async () => {
    const lease = { holder: 'a', until: 1_000, status: STATUS };
    expect(await store.index.claim(ALL_TOKENS, lease, 0)).toBe(true);
    expect(await store.index.claim(ALL_TOKENS, { ...lease, until: 2_000 }, 500)).toBe(true);
    expect(await store.index.lease(ALL_TOKENS)).toEqual({ ...lease, until: 2_000 });
    await store.index.release(ALL_TOKENS, 'a');
    expect((await store.index.lease(ALL_TOKENS))?.until).toBe(0);
    expect(await store.index.lease(address(1))).toBeNull();
  });

  it('tells what it keeps of a token in some blocks, each once', async () => {
    const points = [point(1, 7, 2), point(1, 7, 3), point(1, 8, 3, 9n), point(2, 7, 3), point(1, 9, 4)];
    await store.index.append(ALL_TOKENS, null, range(1, 10, points));
    const found = await store.index.points({ track: ALL_TOKENS, token: address(1), from: 3, to: 3 });
    expect([...found].sort((a, b) => (a.holder < b.holder ? -1 : 1))).toEqual([points[1], points[2]]);
  });

  it('removes a track with its rows, leaves those of others, and indexes it again from another block', async () => {
    const [one, other] = [address(1), address(2)];
    await store.index.append(one, null, range(1, 10, [point(1, 7, 2), point(1, 8, 3)]));
    await store.index.append(other, null, range(1, 10, [point(2, 7, 2)]));
    expect((await store.index.size()).rows).toBe(3);
    await store.index.remove(one);
    expect(await store.index.position(one)).toBeNull();
    expect(await holdersOf(store.index, { track: one, token: one, upTo: 10 })).toEqual([]);
    expect(await holdersOf(store.index, { track: other, token: other, upTo: 10 })).toEqual([address(7)]);
    const { rows, bytes, freeBytes } = await store.index.size();
    expect([rows, bytes > 0, freeBytes > 0]).toEqual([1, true, true]);
    // The same range again, as an insert that was made before.
    await store.index.append(one, null, range(1, 10, [point(1, 7, 2), point(1, 8, 3)]));
    expect(await holdersOf(store.index, { track: one, token: one, upTo: 10 })).toEqual([
      address(7),
      address(8),
    ]);
  });

  it('removes a track with its parts and the lists that were read of it', async () => {
    const one = address(1);
    const later = range(11, 20, [point(1, 7, 12)]);
    await store.index.append(one, null, later);
    await store.index.append(partOf(one, 1), null, range(1, 10, [point(1, 8, 2)]));
    expect((await store.index.position(one))?.from).toBe(1);
    const behind = () => holdersOf(store.index, { track: one, token: one, upTo: 20, after: address(2) });
    expect(await behind()).toEqual([7, 8].map(address));
    await store.index.remove(one);
    expect(await behind()).toEqual([]);
    await store.index.append(one, null, later);
    expect((await store.index.position(one))?.from).toBe(11);
    expect(await behind()).toEqual([address(7)]);
  });

  it('removes approvals with the track of all tokens, and has them once it is indexed again', async () => {
    const approved = range(1, 10, [], [approval(1, 3, 8, 5)]);
    const found = async () =>
      (await store.index.approvalsOf({ account: address(3), upTo: 10, limit: 9 })).length;
    await store.index.append(ALL_TOKENS, null, approved);
    expect(await found()).toBe(1);
    await store.index.remove(ALL_TOKENS);
    expect(await found()).toBe(0);
    await store.index.append(ALL_TOKENS, null, approved);
    expect(await found()).toBe(1);
  });

  it('leaves to the track of all tokens what it has of a token that is removed, and the other way round', async () => {
    const one = address(1);
    await store.index.append(ALL_TOKENS, null, range(1, 10, [point(1, 7, 2), point(2, 9, 3)]));
    await store.index.append(one, null, range(1, 10, [point(1, 7, 2)]));
    await store.index.remove(one);
    expect(await holdersOf(store.index, { token: one, upTo: 10 })).toEqual([address(7)]);
    await store.index.append(one, null, range(1, 10, [point(1, 7, 2)]));
    await store.index.remove(ALL_TOKENS);
    expect(await holdersOf(store.index, { track: one, token: one, upTo: 10 })).toEqual([address(7)]);
    expect(await holdersOf(store.index, { token: address(2), upTo: 10 })).toEqual([]);
  });

  const ROWS: readonly ExportRow[] = [
    { holder: address(2), balance: '1', error: null },
    { holder: address(1), balance: String(2n ** 256n - 1n), error: null },
    { holder: address(3), balance: null, error: 'it\'s "no" balance' },
    { holder: address(9), balance: '100000000000000000001', error: null },
    // A fast reader of numbers is one bit off.
    { holder: address(8), balance: '15144641534300502623422', error: null },
  ];
  async function* inParts(...parts: readonly (readonly ExportRow[])[]): AsyncGenerator<readonly ExportRow[]> {
    yield* parts;
  }
  async function bytesOf(file: AsyncIterable<Uint8Array>): Promise<Buffer> {
    const parts: Uint8Array[] = [];
    for await (const part of file) parts.push(part);
    return Buffer.concat(parts);
  }

  it('makes a file of rows, in their order, that another program reads', async () => {
    const parts = inParts(ROWS.slice(0, 1), [], ROWS.slice(1));
    const file = await bytesOf(store.index.toParquet({ block: 18_000_000, parts }));
    const { columns, rows } = await readParquet(file);
    expect(columns).toEqual({
      holder: 'VARCHAR',
      balance: 'VARCHAR',
      balance_float: 'DOUBLE',
      block: 'BIGINT',
      error: 'VARCHAR',
    });
    expect(rows).toEqual(
      ROWS.map(({ holder, balance, error }) => [
        holder,
        balance,
        balance === null ? null : Number(balance),
        '18000000',
        error,
      ]),
    );
    expect(await store.exports()).toBe(0);
  });

  it('makes a file without rows', async () => {
    const { rows } = await readParquet(await bytesOf(store.index.toParquet({ block: 1, parts: inParts() })));
    expect(rows).toEqual([]);
  });

  it('keeps the order of many rows', async () => {
    const many = Array.from({ length: 60_000 }, (_, i) => ({
      holder: `0x${((i * 7_919) % 60_000).toString(16).padStart(40, '0')}`,
      balance: String(i),
      error: null,
    }));
    const parts = inParts(many.slice(0, 10_000), many.slice(10_000));
    const { rows } = await readParquet(await bytesOf(store.index.toParquet({ block: 1, parts })));
    expect(rows.map(([holder]) => holder)).toEqual(many.map(({ holder }) => holder));
  });

  it('leaves nothing behind of a file whose rows break off, or that is not read to its end', async () => {
    const broken = async function* (): AsyncGenerator<readonly ExportRow[]> {
      yield ROWS;
      expect(await store.exports()).toBe(1);
      throw new Error('the rows broke off');
    };
    await expect(store.index.toParquet({ block: 1, parts: broken() }).next()).rejects.toThrow('broke off');
    expect(await store.exports()).toBe(0);
    const unread = store.index.toParquet({ block: 1, parts: inParts(ROWS) });
    await unread.next();
    await unread.return();
    expect(await store.exports()).toBe(0);
  });

  it('answers as a plain list of points does, however they came in ranges', async () => {
    const points = fc.array(
      fc.record({
        token: fc.nat(2),
        holder: fc.nat(12),
        block: fc.nat(30),
        id: fc.option(fc.bigInt(0n, 2n)),
      }),
      { maxLength: 60 },
    );
    const cuts = fc.uniqueArray(fc.nat(29), { maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(points, cuts, fc.nat(30), async (made, ends, upTo) => {
        const track = `property ${(property += 1)}`;
        // Tokens of another run are others: a store has one table.
        const own = made.map((one) => ({
          ...point(one.token, one.holder, one.block, one.id),
          token: tokenOf(one.token),
        }));
        let base: Position | null = null;
        let from = 0;
        for (const to of [...ends.sort((a, b) => a - b), 30]) {
          if (to < from) continue;
          const inRange = own.filter(({ block }) => block >= from && block <= to);
          base = await store.index.append(track, base, range(from, to, inRange));
          from = to + 1;
        }
        for (const token of [0, 1, 2].map(tokenOf)) {
          const expected = new Set(
            own.filter((one) => one.token === token && one.block <= upTo).map(({ holder }) => holder),
          );
          expect(await holdersOf(store.index, { track, token, upTo })).toEqual([...expected].sort());
        }
      }),
      cases(runs),
    );
  });
  let property = 0;
  const tokenOf = (i: number): string =>
    `0x${property.toString(16).padStart(38, '0')}${i.toString(16).padStart(2, '0')}`;
}
