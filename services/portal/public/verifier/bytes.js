/* Written by npm run build:verifier, from clients/typescript/src/verify/bytes.ts. */
export function parseBytes(text) {
  if (text.length % 2 !== 0 || !text.startsWith('0x')) return undefined;
  const bytes = new Uint8Array(text.length / 2 - 1);
  for (let i = 0, at = 2; i < bytes.length; i++, at += 2) {
    const high = digitOf(text.charCodeAt(at));
    const low = digitOf(text.charCodeAt(at + 1));
    if (high < 0 || low < 0) return undefined;
    bytes[i] = (high << 4) | low;
  }
  return bytes;
}
function digitOf(code) {
  if (code >= 48 && code <= 57) return code - 48;
  const letter = code | 32;
  return letter >= 97 && letter <= 102 ? letter - 87 : -1;
}
export function toHex(bytes) {
  let text = '0x';
  for (const byte of bytes) text += byte.toString(16).padStart(2, '0');
  return text;
}
export function areEqual(one, other) {
  return one.length === other.length && one.every((byte, at) => byte === other[at]);
}
export function toWord(amount) {
  const bytes = parseBytes(`0x${amount.toString(16).padStart(64, '0')}`);
  if (bytes?.length !== 32) throw new RangeError(`${amount} does not fit in 256 bits`);
  return bytes;
}
export function join(...parts) {
  const joined = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}
