/** The book of tracks, in any store. */
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { STATUS } from '@hindsight/indexing/test/support/status.ts';
import { ALL_TOKENS } from '../../src/domain/tracks.ts';
import type { TrackBook } from '../../src/ports.ts';

export interface OpenBook {
  readonly book: TrackBook;
  /** The same book, as another process has it. */
  another(): Promise<TrackBook>;
  close(): Promise<void>;
}

const TOKEN = `0x${'01'.repeat(20)}`;

/** Tests of the book. */
export function describeTrackBook(open: () => Promise<OpenBook>): void {
  let store: OpenBook;
  beforeEach(async () => {
    store = await open();
  });
  afterEach(() => store.close());

  it('shows a wish to another process at once, the last one of each track', async () => {
    const other = await store.another();
    expect(await other.wishes()).toEqual([]);
    await store.book.wish({ track: TOKEN, wish: 'index', fromBlock: 12 });
    await store.book.wish({ track: ALL_TOKENS, wish: 'index', fromBlock: 0 });
    expect(await other.wishes()).toEqual([
      { track: ALL_TOKENS, wish: 'index', fromBlock: 0 },
      { track: TOKEN, wish: 'index', fromBlock: 12 },
    ]);
    await other.wish({ track: TOKEN, wish: 'remove', fromBlock: 0 });
    expect(await store.book.wishes()).toContainEqual({ track: TOKEN, wish: 'remove', fromBlock: 0 });
  });

  it('has the last report of each track, and forgets both when the track is gone', async () => {
    const report = {
      track: TOKEN,
      isSet: false,
      position: { from: 1, number: 2 },
      status: STATUS,
      checked: null,
      at: 5,
    };
    const all = {
      track: ALL_TOKENS,
      isSet: true,
      position: null,
      status: null,
      checked: 'no difference',
      at: 6,
    };
    await store.book.report([]);
    await store.book.report([report, all]);
    await store.book.report([{ ...report, at: 7 }]);
    const other = await store.another();
    expect(await other.reports()).toEqual([all, { ...report, at: 7 }]);
    await store.book.wish({ track: TOKEN, wish: 'remove', fromBlock: 0 });
    await store.book.forget(TOKEN);
    expect([await other.wishes(), await other.reports()]).toEqual([[], [all]]);
    await other.wish({ track: TOKEN, wish: 'index', fromBlock: 3 });
    expect(await store.book.wishes()).toEqual([{ track: TOKEN, wish: 'index', fromBlock: 3 }]);
  });
}
