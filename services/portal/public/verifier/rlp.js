/* Written by npm run build:verifier, from clients/typescript/src/verify/rlp.ts. */
export function readList(encoded) {
  const list = readItem(encoded, 0);
  if (!list?.isList || list.encoded.length !== encoded.length) return undefined;
  const items = [];
  for (let at = 0; at < list.body.length;) {
    const item = readItem(list.body, at);
    if (item === undefined) return undefined;
    items.push(item);
    at += item.encoded.length;
  }
  return items;
}
export function readString(encoded) {
  const item = readItem(encoded, 0);
  return item?.isList === false && item.encoded.length === encoded.length ? item.body : undefined;
}
export function readNumber({ isList, body }) {
  if (isList || body.length > 32 || body[0] === 0) return undefined;
  return body.reduce((number, byte) => (number << 8n) | BigInt(byte), 0n);
}
function readItem(bytes, at) {
  const first = bytes[at];
  if (first === undefined) return undefined;
  if (first < 0x80) return itemOf(bytes, at, { isList: false, from: at, length: 1 });
  const isList = first >= 0xc0;
  const short = first - (isList ? 0xc0 : 0x80);
  if (short > 55) return readLong(bytes, at, isList, short - 55);
  if (!isList && short === 1 && (bytes[at + 1] ?? 0) < 0x80) return undefined;
  return itemOf(bytes, at, { isList, from: at + 1, length: short });
}
function readLong(bytes, at, isList, size) {
  if (size > 3 || bytes[at + 1] === 0) return undefined;
  let length = 0;
  for (let i = 1; i <= size; i++) length = length * 256 + (bytes[at + i] ?? 0);
  if (length < 56) return undefined;
  return itemOf(bytes, at, { isList, from: at + 1 + size, length });
}
function itemOf(bytes, at, { isList, from, length }) {
  const end = from + length;
  if (end > bytes.length) return undefined;
  return { isList, body: bytes.subarray(from, end), encoded: bytes.subarray(at, end) };
}
