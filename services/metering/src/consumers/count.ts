import { HandlerUnavailable } from '@hindsight/shared/bus/errors.ts';
import { StoreUnavailable } from '@hindsight/shared/stores/unavailable.ts';

/** Counts; while the store is away the events wait. */
export async function counting(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error;
    throw new HandlerUnavailable('usage cannot be counted at the moment', { cause: error });
  }
}
