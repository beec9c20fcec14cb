import { Fault } from '@hindsight/kernel/errors.ts';

/**
 * The version of an index, by the rows that walks store: one with fewer rows would give incomplete answers without saying so.
 * It goes up when walks store more than before, or store it differently. 2: tokens that were minted by
 * `consecutive`, `assign` and `mint` (`TOPICS`).
 */
export const INDEX_VERSION = 2;

/** An index made by another version of Hindsight. The message is for operators. */
export class OtherIndexVersion extends Fault {}

/** An index, as its own store describes it. */
export interface FoundIndex {
  /** Null in an empty one, and in one from before versions were recorded. */
  readonly version: number | null;
  readonly isEmpty: boolean;
}

/**
 * Refuses an index whose rows are not those that this version's walks keep.
 * @param kept the name of its file, or of its tables
 * @throws {OtherIndexVersion}
 */
export function refuseOtherVersion({ version, isEmpty }: FoundIndex, kept: string): void {
  if (version === INDEX_VERSION) return;
  if (version === null && isEmpty) return;
  const found = version === null ? 'it has no version' : `it has version ${version}`;
  throw new OtherIndexVersion(
    `${found}; this Hindsight reads version ${INDEX_VERSION}: stop the service and remove ${kept}, ` +
      'and all is indexed again from the chain',
  );
}
