import type { NativeReading } from './domain/native.ts';
import type { HeightQuestion } from './domain/pinned.ts';
import type { TokenReading } from './domain/token.ts';

/**
 * Reads the chain's past, each answer at one block. Addresses are EIP-55.
 *
 * Every method throws an ApiError: 404 above the head; 502, 503 or 504 where no node can answer.
 */
export interface History {
  /** A token's facts and `balanceOf(holder)`. */
  readBalance(token: string, holder: string, at: HeightQuestion): Promise<TokenReading>;
  /** A token's facts and `allowance(owner, spender)`. */
  readAllowance(token: string, owner: string, spender: string, at: HeightQuestion): Promise<TokenReading>;
  /** An account's wei. */
  readNative(holder: string, at: HeightQuestion): Promise<NativeReading>;
}
