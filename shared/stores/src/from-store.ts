import { unavailable } from '@hindsight/kernel/errors.ts';
import { StoreUnavailable } from './unavailable.ts';

/**
 * Reads from a store on behalf of a caller.
 * @param message the public one: what cannot be read at the moment
 * @throws {ApiError} 503 with `Retry-After` when the store is unavailable
 */
export async function fromStore<T>(reading: Promise<T>, message: string): Promise<T> {
  try {
    return await reading;
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error;
    throw unavailable('store_unavailable', message, { cause: error });
  }
}
