/**
 * Keeps lists of holders for clients that read them page by page. The embedded engine keeps its rows in no order, so that
 * each page would need a scan of all of them; the list is sorted once, and the further pages are cut from it.
 */
import { LRUCache } from 'lru-cache';
import type { Track } from '../domain/tracks.ts';
import type { HolderIndex, HoldersQuestion } from '../ports.ts';

type ReadHolders = HolderIndex['holders'];

const ADDRESS_BYTES = 20;
/** A million holders take 20 MB. */
const MOST_BYTES = 32 * 1024 * 1024;
const MOST_LISTS = 16;
/** Addresses that are yielded at once. */
const PART = 2_048;

/** In place of a list that is not kept, because it has more bytes. */
const TOO_LONG = Buffer.alloc(0);

/** Lists by token and block, each as addresses one after another. */
export class KeptHolders {
  readonly #read: ReadHolders;
  readonly #lists: LRUCache<string, Buffer, HoldersQuestion>;
  /** The last block that a list of a track was kept up to. */
  readonly #upTo = new Map<Track, number>();

  /** @param mostBytes of all lists; a longer one is not kept */
  constructor(read: ReadHolders, mostBytes = MOST_BYTES) {
    this.#read = read;
    this.#lists = new LRUCache<string, Buffer, HoldersQuestion>({
      max: MOST_LISTS,
      maxSize: mostBytes,
      sizeCalculation: ({ length }) => Math.max(1, length),
      fetchMethod: (_key, _old, { context }) =>
        pack(read({ ...context, after: undefined, limit: mostBytes / ADDRESS_BYTES + 1 }), mostBytes),
      // A list that is forgotten while it is packed still answers those who wait for it.
      ignoreFetchAbort: true,
    });
  }

  /** Forgets all lists: rows of blocks that they cover were added or removed. */
  clear(): void {
    this.#lists.clear();
    this.#upTo.clear();
  }

  /** Forgets all lists where one covers blocks of a track from this one on, whose rows were added. */
  added(track: Track, from: number): void {
    if (from <= (this.#upTo.get(track) ?? -1)) this.clear();
  }

  /** As `HolderIndex.holders`. A first page is read directly: most lists have only one. */
  async *holders(question: HoldersQuestion): AsyncGenerator<readonly string[]> {
    const { track, token, id = '', upTo, after } = question;
    const key = `${track} ${token} ${id} ${upTo}`;
    if (after !== undefined) this.#upTo.set(track, Math.max(upTo, this.#upTo.get(track) ?? 0));
    const list = after === undefined ? undefined : await this.#lists.fetch(key, { context: question });
    if (list === undefined || list === TOO_LONG) yield* this.#read(question);
    else yield* partsAfter(list, question);
  }
}

async function pack(parts: AsyncIterable<readonly string[]>, mostBytes: number): Promise<Buffer> {
  const packed: Buffer[] = [];
  let bytes = 0;
  for await (const part of parts) {
    const digits = part.map((address) => address.slice(2)).join('');
    bytes += digits.length / 2;
    if (bytes > mostBytes) return TOO_LONG;
    packed.push(Buffer.from(digits, 'hex'));
  }
  return Buffer.concat(packed, bytes);
}

function* partsAfter(list: Buffer, { after = '0x', limit }: HoldersQuestion): Generator<readonly string[]> {
  const addressAt = (at: number): string =>
    `0x${list.toString('hex', at * ADDRESS_BYTES, (at + 1) * ADDRESS_BYTES)}`;
  let [first, beyond] = [0, list.length / ADDRESS_BYTES];
  const end = beyond;
  while (first < beyond) {
    const middle = Math.floor((first + beyond) / 2);
    if (addressAt(middle) <= after) first = middle + 1;
    else beyond = middle;
  }
  const last = Math.min(end, first + limit);
  for (let from = first; from < last; from += PART)
    yield Array.from({ length: Math.min(PART, last - from) }, (_, i) => addressAt(from + i));
}
