/**
 * Keeps lists of holders for clients that read them page by page. The embedded engine keeps its rows in no order, so that
 * each page would need a scan of all of them; the list is sorted once, and the further pages are cut from it.
 */
import type { HolderIndex, HoldersQuestion } from '../ports.ts';

type ReadHolders = HolderIndex['holders'];

/** Addresses one after another; undefined where there are too many. */
type PackedList = Buffer | undefined;

const ADDRESS_BYTES = 20;
/** A million holders take 20 MB. */
const MOST_BYTES = 32 * 1024 * 1024;
const MOST_LISTS = 16;
/** Addresses that are yielded at once. */
const PART = 2_048;

/** Lists by token and block, the last used last. */
export class KeptHolders {
  readonly #read: ReadHolders;
  readonly #lists = new Map<string, Promise<PackedList>>();
  readonly #bytes = new Map<string, number>();

  constructor(read: ReadHolders) {
    this.#read = read;
  }

  /** Forgets all lists: rows of blocks that they cover were added or removed. */
  clear(): void {
    this.#lists.clear();
    this.#bytes.clear();
  }

  /** As `HolderIndex.holders`. A first page is read directly: most lists have only one. */
  async *holders(question: HoldersQuestion): AsyncGenerator<readonly string[]> {
    const list = question.after === undefined ? undefined : await this.#listOf(question);
    if (list === undefined) yield* this.#read(question);
    else yield* partsBehind(list, question);
  }

  #listOf(question: HoldersQuestion): Promise<PackedList> {
    const { track, token, id = '', upTo } = question;
    const key = `${track} ${token} ${id} ${upTo}`;
    const list = this.#lists.get(key) ?? this.#pack(key, question);
    this.#lists.delete(key);
    this.#lists.set(key, list);
    return list;
  }

  #pack(key: string, question: HoldersQuestion): Promise<PackedList> {
    const list = pack(this.#read({ ...question, after: undefined, limit: MOST_BYTES / ADDRESS_BYTES + 1 }));
    list.then(
      (packed) => {
        if (this.#lists.get(key) !== list) return;
        this.#bytes.set(key, packed?.length ?? 0);
        this.#makeRoom();
      },
      () => this.#lists.delete(key),
    );
    return list;
  }

  #makeRoom(): void {
    let bytes = [...this.#bytes.values()].reduce((sum, one) => sum + one, 0);
    for (const oldest of this.#lists.keys()) {
      if (bytes <= MOST_BYTES && this.#lists.size <= MOST_LISTS) return;
      bytes -= this.#bytes.get(oldest) ?? 0;
      this.#lists.delete(oldest);
      this.#bytes.delete(oldest);
    }
  }
}

async function pack(parts: AsyncIterable<readonly string[]>): Promise<PackedList> {
  const packed: Buffer[] = [];
  let bytes = 0;
  for await (const part of parts) {
    const digits = part.map((address) => address.slice(2)).join('');
    bytes += digits.length / 2;
    if (bytes > MOST_BYTES) return undefined;
    packed.push(Buffer.from(digits, 'hex'));
  }
  return Buffer.concat(packed, bytes);
}

function* partsBehind(list: Buffer, { after = '0x', limit }: HoldersQuestion): Generator<readonly string[]> {
  const addressAt = (at: number): string =>
    `0x${list.toString('hex', at * ADDRESS_BYTES, (at + 1) * ADDRESS_BYTES)}`;
  let [first, behind] = [0, list.length / ADDRESS_BYTES];
  const end = behind;
  while (first < behind) {
    const middle = Math.floor((first + behind) / 2);
    if (addressAt(middle) <= after) first = middle + 1;
    else behind = middle;
  }
  const last = Math.min(end, first + limit);
  for (let from = first; from < last; from += PART)
    yield Array.from({ length: Math.min(PART, last - from) }, (_, i) => addressAt(from + i));
}
