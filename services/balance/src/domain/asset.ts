import type { ApiError } from '@hindsight/kernel/errors.ts';

/** The chain's native coin, where a token's address is taken too. */
export const NATIVE = 'native';

/** Asset of a balance: a token's address (EIP-55), or `native`. */
export type Asset = string;

/** Result of one balance: the number; undefined if the token has none for the holder; or the error. */
export type Amount = bigint | undefined | ApiError;
