/** The version of an index, by the rows that walks store. One with fewer rows would give incomplete answers without saying so. */
import { ALL_TOKENS, type Track } from './tracks.ts';

/** Goes up when walks store more than before, or store it differently. */
export const INDEX_VERSION = 1;

/** An index made by another version of Hindsight. The message is for operators. */
export class OtherIndexVersion extends Error {
  override readonly name = 'OtherIndexVersion';
}

/** An index, as its own store describes it. */
export interface FoundIndex {
  /** Null in an empty one, and in one from before versions were recorded. */
  readonly version: number | null;
  /** Those that have blocks. */
  readonly tracks: readonly Track[];
}

/**
 * Refuses an index whose rows are not those that this version's walks keep.
 * @param kept the name of its file, or of its tables
 * @throws {OtherIndexVersion}
 */
export function refuseOtherVersion({ version, tracks }: FoundIndex, kept: string): void {
  if (version === INDEX_VERSION) return;
  // Before versions were recorded, the track of all tokens had no approvals at first. Other tracks always had the same rows.
  if (version === null && !tracks.includes(ALL_TOKENS)) return;
  const found = version === null ? 'it has no version, and may lack approvals' : `it has version ${version}`;
  throw new OtherIndexVersion(
    `${found}; this Hindsight reads version ${INDEX_VERSION}: stop the service and remove ${kept}, ` +
      'and all is indexed again from the chain',
  );
}
