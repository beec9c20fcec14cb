/** Hexadecimal in JSON-RPC's forms (execution-apis, "QUANTITY" and "DATA"). */

const QUANTITY = /^0x[0-9a-f]{1,64}$/i;
const HASH = /^0x[0-9a-f]{64}$/i;

/** A block height or timestamp as a number; undefined for anything but a quantity up to 2^53. */
export function readQuantity(value: unknown): number | undefined {
  const number = typeof value === 'string' && QUANTITY.test(value) ? Number(value) : NaN;
  return Number.isSafeInteger(number) ? number : undefined;
}

/** The same. @throws {TypeError} for anything else */
export function quantityToNumber(value: unknown): number {
  const number = readQuantity(value);
  if (number === undefined) throw new TypeError('expected a hexadecimal quantity up to 2^53');
  return number;
}

/** An amount. @throws {TypeError} when it is no quantity */
export function quantityToBigInt(value: unknown): bigint {
  if (typeof value !== 'string' || !QUANTITY.test(value))
    throw new TypeError('expected a hexadecimal quantity');
  return BigInt(value);
}

export function numberToQuantity(value: number): string {
  return `0x${value.toString(16)}`;
}

/** A 32-byte hash, lower-cased. @throws {TypeError} for anything else */
export function parseHash(value: unknown): string {
  if (typeof value !== 'string' || !HASH.test(value)) throw new TypeError('expected a 32-byte hash');
  return value.toLowerCase();
}

/** Bytes of a DATA string. @throws {TypeError} for anything else */
export function dataToBytes(value: unknown): Buffer {
  if (typeof value !== 'string' || !value.startsWith('0x')) throw new TypeError('expected hexadecimal data');
  const bytes = Buffer.from(value.slice(2), 'hex');
  // Buffer.from stops at the first invalid pair.
  if (2 * bytes.length !== value.length - 2) throw new TypeError('expected hexadecimal data');
  return bytes;
}

/** The number in 32 bytes, the most significant first. @param from where they begin */
export function wordToBigInt(bytes: Buffer, from = 0): bigint {
  // Most amounts fit into eight bytes, and are read five times as fast from there as through text.
  if (isZero(bytes, from, from + 24)) return bytes.readBigUInt64BE(from + 24);
  return BigInt(`0x${bytes.toString('hex', from, from + 32)}`);
}

function isZero(bytes: Buffer, from: number, end: number): boolean {
  for (let at = from; at < end; at++) if (bytes[at] !== 0) return false;
  return true;
}
