import type { ApiError } from '@hindsight/kernel/errors.ts';

/** The chain's native coin, where a token's address is taken too. */
export const NATIVE = 'native';

/** What balances are asked of: a token's address (EIP-55), or `native`. */
export type Asset = string;

/** What was read of one balance: the number; undefined where the token has none for the holder; or why it is not known. */
export type Amount = bigint | undefined | ApiError;
