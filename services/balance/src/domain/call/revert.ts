/** Why a call reverted, as far as its data says. Pure. */
import { decodeValues } from '@hindsight/chain/abi/decode.ts';

export interface Revert {
  /** The text of `Error(string)`, or the meaning of `Panic(uint256)`; null for anything else. */
  readonly reason: string | null;
  /** Data of the revert: a custom error in hexadecimal. */
  readonly data: string;
}

const ERROR = '08c379a0';
const PANIC = '4e487b71';
/** Solidity's documentation, "Panic via assert and Error via require". */
const PANICS: Readonly<Record<string, string>> = {
  0: 'a panic of the compiler',
  1: 'an assertion failed',
  17: 'an arithmetic operation overflowed',
  18: 'a division by zero',
  33: 'a value is not in the enum',
  34: 'a storage byte array is encoded wrongly',
  49: 'an empty array was popped',
  50: 'an index is out of bounds',
  65: 'too much memory was allocated',
  81: 'a function of zero was called',
};
const STRING = [{ name: '', text: 'string', type: { kind: 'string' } }] as const;
const UINT = [{ name: '', text: 'uint256', type: { kind: 'uint', bits: 256 } }] as const;

export function readRevert(data: Buffer): Revert {
  return { reason: reasonIn(data), data: `0x${data.toString('hex')}` };
}

function reasonIn(data: Buffer): string | null {
  const selector = data.toString('hex', 0, 4);
  const [type, toText] =
    selector === ERROR ? [STRING, String] : selector === PANIC ? [UINT, panicText] : [undefined, String];
  if (type === undefined) return null;
  try {
    return toText(decodeValues(type, data.subarray(4))[0]);
  } catch {
    return null;
  }
}

function panicText(code: unknown): string {
  const number = String(code);
  return `Panic(0x${BigInt(number).toString(16)}): ${PANICS[number] ?? 'an unknown panic'}`;
}
