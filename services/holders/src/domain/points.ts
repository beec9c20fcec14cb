/** The accounts that a token's events touched, and the block of each. No amounts: those are read from state. */
import type { ApprovalPair } from './approval-events.ts';

export interface Point {
  /** Lower case, as the holder is. */
  readonly token: string;
  readonly holder: string;
  /** The id of an ERC-1155 token; null for other events. */
  readonly id: bigint | null;
  readonly block: number;
}

/** An approval, or its revocation: the owner let the spender move this token, or no longer does. */
export interface Approval extends ApprovalPair {
  readonly block: number;
}

/** Accounts that events touch. Approvals are kept only where all tokens are indexed: questions about them are about any token. */
export interface Touched {
  readonly points: readonly Point[];
  readonly approvals: readonly Approval[];
}

/** The largest id: 256 bits. */
const ID_DIGITS = 64;

/** An id as engines keep it: 64 hex digits, empty where there is none. */
export function idToHex(id: bigint | null): string {
  return id === null ? '' : id.toString(16).padStart(ID_DIGITS, '0');
}

export function hexToId(digits: string): bigint | null {
  return digits === '' ? null : BigInt(`0x${digits}`);
}
