import type { BalanceReading, HeightQuestion } from './domain/balance.ts';

/** Reads what a holder had, at one block. */
export interface History {
  /**
   * Reads a token's facts and a holder's balance at one block.
   * @param token EIP-55
   * @param holder EIP-55
   * @throws {ApiError} 404 above the head; 502, 503, 504 where no node can answer
   */
  readBalance(
    token: string,
    holder: string,
    at: HeightQuestion,
    signal: AbortSignal,
  ): Promise<BalanceReading>;
}
