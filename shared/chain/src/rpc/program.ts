/** Programs that a node runs in an `eth_call`; the node's carrier decides how their answers come back. */

/**
 * A program, as EVM code followed by its input: 0x and hex, by the instruction that it ends with. The input
 * begins with the price in gas of a returned byte (2 bytes).
 */
export interface Program {
  readonly return: string;
  /** Absent if the program must run under rules from before Byzantium, which have no REVERT. */
  readonly revert?: string;
}

/** A program with its input, on its way to a node. */
export interface ProgramRun {
  readonly program: Program;
  /** Hex without 0x, without the price. */
  readonly input: string;
  /** The most bytes that it answers, its head among them. */
  readonly mostBytes: number;
  /** The time of its block, in Unix seconds; absent for the newest block, or if not known. */
  readonly time?: number;
}

/** Largest input and answer of one run at a node. */
export interface ProgramRoom {
  /** Bytes of program and input. */
  readonly taken: number;
  /** Bytes of the answer, its head among them. */
  readonly answered: number;
  /** Gas at its beginning. */
  readonly gas: number;
}

/** The first bytes of every program's answer, as a mark of authenticity: hex. */
export const MARKER = '8a3c5e17f4d2b690';

/** Bytes before a program's own answer: marker (8), length (4), gas (4), number and time (8 each), the parent's hash (32). */
export const HEAD_BYTES = 64;

export interface ProgramHead {
  /** The gas that the node granted it, 2^32 - 1 at the most; 0 if the program does not report it. */
  readonly gas: number;
  /** The block in which it ran. */
  readonly number: number;
  readonly timestamp: number;
  readonly parentHash: string;
}

/** True if an answer begins with the marker, and is as long as it claims: nodes may cut answers. */
export function isOurs(answer: unknown): answer is string {
  if (typeof answer !== 'string' || !answer.startsWith(`0x${MARKER}`)) return false;
  return Number(`0x${answer.slice(18, 26)}`) === answer.length / 2 - 1;
}

/** Reads an answer's head. @throws {TypeError} for any other answer */
export function readProgramHead(bytes: Buffer): ProgramHead {
  if (bytes.length < HEAD_BYTES || bytes.toString('hex', 0, 8) !== MARKER)
    throw new TypeError('the answer is not that of a program of ours');
  return {
    gas: bytes.readUInt32BE(12),
    number: Number(bytes.readBigUInt64BE(16)),
    timestamp: Number(bytes.readBigUInt64BE(24)),
    parentHash: `0x${bytes.toString('hex', 32, HEAD_BYTES)}`,
  };
}
