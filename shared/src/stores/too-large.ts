import { isNativeError } from 'node:util/types';

/** A store refused a write because the record would become larger than it takes: so would it the same write again. */
export class RecordTooLarge extends Error {
  override readonly name = 'RecordTooLarge';

  constructor(store: string, cause: unknown) {
    super(`${store} takes no record of this size: ${isNativeError(cause) ? cause.message : String(cause)}`, {
      cause,
    });
  }
}
