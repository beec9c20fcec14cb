import { isNativeError } from 'node:util/types';
import { Fault } from '@hindsight/kernel/errors.ts';

/** MongoDB refused a write because the record would exceed its limit. The same write would be refused again. */
export class RecordTooLarge extends Fault {
  constructor(cause: unknown) {
    const why = isNativeError(cause) ? cause.message : String(cause);
    super(`MongoDB does not store records of this size: ${why}`, { cause });
  }
}
