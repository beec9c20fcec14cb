import { unavailable } from '@hindsight/kernel/errors.ts';
import { StoreUnavailable } from '@hindsight/stores/unavailable.ts';

/** Seconds after which a caller may try again when the store is unavailable. */
const RETRY_AFTER_SECONDS = 2;

/** Reads from the index. @throws {ApiError} 503 when its store is unavailable */
export async function fromStore<T>(reading: Promise<T>): Promise<T> {
  try {
    return await reading;
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error;
    throw unavailable(
      'store_unavailable',
      'The token list cannot be read at the moment.',
      RETRY_AFTER_SECONDS,
      error,
    );
  }
}
