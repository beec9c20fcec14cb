import { isNativeError } from 'node:util/types';
import { Fault } from '@hindsight/kernel/errors.ts';

/**
 * A durable store did not answer in time, or not at all, or it cannot work at the moment: its disk is full, it refuses
 * the login. Whether a write that was under way has happened is unknown: read to find out. `message` is for operators
 * and holds no credentials.
 */
export class StoreUnavailable extends Fault {
  constructor(store: string, cause: unknown) {
    super(`${store} is not available: ${isNativeError(cause) ? cause.message : String(cause)}`, { cause });
  }
}
