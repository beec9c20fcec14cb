/**
 * The recursive length prefix of Ethereum, strictly: each item has one encoding, and any other is refused.
 * Source: the Yellow Paper, appendix B; https://ethereum.org/developers/docs/data-structures-and-encoding/rlp/
 */

/** An item: a string of bytes, or a list whose items have not been read yet. */
export interface RlpItem {
  readonly isList: boolean;
  /** The string, or the items of the list one after the other. */
  readonly body: Uint8Array;
  /** The item with its prefix. */
  readonly encoded: Uint8Array;
}

/** The items of an encoded list; undefined unless the bytes are exactly one list. */
export function readList(encoded: Uint8Array): readonly RlpItem[] | undefined {
  const list = readItem(encoded, 0);
  if (!list?.isList || list.encoded.length !== encoded.length) return undefined;
  const items: RlpItem[] = [];
  for (let at = 0; at < list.body.length;) {
    const item = readItem(list.body, at);
    if (item === undefined) return undefined;
    items.push(item);
    at += item.encoded.length;
  }
  return items;
}

/** The string that some bytes encode; undefined unless they are exactly one string. */
export function readString(encoded: Uint8Array): Uint8Array | undefined {
  const item = readItem(encoded, 0);
  return item?.isList === false && item.encoded.length === encoded.length ? item.body : undefined;
}

/** The number of a string: at most 256 bits, without leading zeros. Undefined for anything else. */
export function readNumber({ isList, body }: RlpItem): bigint | undefined {
  if (isList || body.length > 32 || body[0] === 0) return undefined;
  return body.reduce((number, byte) => (number << 8n) | BigInt(byte), 0n);
}

function readItem(bytes: Uint8Array, at: number): RlpItem | undefined {
  const first = bytes[at];
  if (first === undefined) return undefined;
  if (first < 0x80) return itemOf(bytes, at, { isList: false, from: at, length: 1 });
  const isList = first >= 0xc0;
  const short = first - (isList ? 0xc0 : 0x80);
  if (short > 55) return readLong(bytes, at, isList, short - 55);
  // A byte below 0x80 is its own encoding.
  if (!isList && short === 1 && (bytes[at + 1] ?? 0) < 0x80) return undefined;
  return itemOf(bytes, at, { isList, from: at + 1, length: short });
}

/** An item of 56 bytes or more: the length of its length, its length, itself. */
function readLong(bytes: Uint8Array, at: number, isList: boolean, size: number): RlpItem | undefined {
  if (bytes[at + 1] === 0) return undefined;
  let length = 0;
  for (let i = 1; i <= size; i++) length = length * 256 + (bytes[at + i] ?? 0);
  if (length < 56) return undefined;
  return itemOf(bytes, at, { isList, from: at + 1 + size, length });
}

function itemOf(
  bytes: Uint8Array,
  at: number,
  { isList, from, length }: { isList: boolean; from: number; length: number },
): RlpItem | undefined {
  const end = from + length;
  if (end > bytes.length) return undefined;
  return { isList, body: bytes.subarray(from, end), encoded: bytes.subarray(at, end) };
}
