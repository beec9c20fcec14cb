/** The bytes of 0x and an even number of hexadecimal digits; undefined if the text is anything else. */
export function parseBytes(text: string): Uint8Array | undefined {
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

function digitOf(code: number): number {
  if (code >= 48 && code <= 57) return code - 48;
  const letter = code | 32;
  return letter >= 97 && letter <= 102 ? letter - 87 : -1;
}

/** Bytes in hexadecimal digits, after 0x. */
export function toHex(bytes: Uint8Array): string {
  let text = '0x';
  for (const byte of bytes) text += byte.toString(16).padStart(2, '0');
  return text;
}

/** True if both have the same bytes. */
export function areEqual(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, at) => byte === other[at]);
}

/** An amount in 32 bytes, the most significant first. @throws {RangeError} if it takes more */
export function toWord(amount: bigint): Uint8Array {
  const bytes = parseBytes(`0x${amount.toString(16).padStart(64, '0')}`);
  if (bytes?.length !== 32) throw new RangeError(`${amount} does not fit in 256 bits`);
  return bytes;
}

/** Concatenates bytes. */
export function join(...parts: readonly Uint8Array[]): Uint8Array {
  const joined = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}
