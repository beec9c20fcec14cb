import type { Account } from './domain/account.ts';
import type { AllowanceReading } from './domain/allowance.ts';
import type { BalanceReading } from './domain/balance.ts';
import type { NativeReading } from './domain/native.ts';
import type { When } from './domain/pinned.ts';

/**
 * Reads the chain's past, each answer at one block; names are resolved at that very block.
 *
 * The signal gives a question up: no node is asked for its sake any more.
 *
 * Every method throws an ApiError: 400 for what is no name; 404 above the head, before the first block, and for a name
 * that points nowhere; 422 for a name that is kept where we do not ask; 502, 503 or 504 where no node can answer.
 */
export interface History {
  /** A token's facts and `balanceOf(holder)`. */
  readBalance(token: string, holder: Account, when: When, signal: AbortSignal): Promise<BalanceReading>;
  /** A token's facts and `allowance(owner, spender)`. */
  readAllowance(
    token: Account,
    owner: Account,
    spender: Account,
    when: When,
    signal: AbortSignal,
  ): Promise<AllowanceReading>;
  /** An account's wei. */
  readNative(holder: Account, when: When, signal: AbortSignal): Promise<NativeReading>;
  /** The hash of the block that is meant, where it is known without asking and can no longer be reorganised away. */
  finalizedHash(when: When): string | undefined;
}

/** Keeps answers that can never change, by a key that names the block's hash. */
export interface AnswerCache {
  /** Undefined where the answer is not kept; also when the cache cannot be reached. */
  get(key: string): Promise<string | undefined>;
  /** Keeps an answer; a failure is the cache's own affair. */
  set(key: string, answer: string): Promise<void>;
}
