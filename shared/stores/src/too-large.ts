import { isNativeError } from 'node:util/types';
import { Fault } from '@hindsight/kernel/errors.ts';

/** A store refused a write because the record would exceed its limit. The same write would be refused again. */
export class RecordTooLarge extends Fault {
  constructor(store: string, cause: unknown) {
    super(
      `${store} does not store records of this size: ${isNativeError(cause) ? cause.message : String(cause)}`,
      {
        cause,
      },
    );
  }
}
