/** The version of an index: what its walks keep. One that kept less would answer without these rows, and say nothing. */
import { ALL_TOKENS, type Track } from './tracks.ts';

/** Goes up when walks keep more than before, or keep it otherwise. */
export const INDEX_VERSION = 1;

/** An index that another version of Hindsight has made. The message is for operators. */
export class OtherIndexVersion extends Error {
  override readonly name = 'OtherIndexVersion';
}

/** The words of an index about itself. */
export interface FoundIndex {
  /** Null in one that is empty, or from before versions were kept. */
  readonly version: number | null;
  /** Those that have blocks. */
  readonly tracks: readonly Track[];
}

/**
 * Refuses an index whose rows are not those that this version's walks keep.
 * @param kept the name of its file or of its tables
 * @throws {OtherIndexVersion}
 */
export function refuseOtherVersion({ version, tracks }: FoundIndex, kept: string): void {
  if (version === INDEX_VERSION) return;
  // Before versions were kept, the track of all tokens was without approvals at first. Others have had the same rows ever since.
  if (version === null && !tracks.includes(ALL_TOKENS)) return;
  const found = version === null ? 'it has no version, and may lack approvals' : `it has version ${version}`;
  throw new OtherIndexVersion(
    `${found}; this Hindsight reads version ${INDEX_VERSION}: stop the service and remove ${kept}, ` +
      'and all is indexed again from the chain',
  );
}
