/**
 * Opens the spool, a write-ahead log of counted requests: one for this instance of the gateway, and those that former
 * instances have left behind.
 */
import type { Platform } from '@hindsight/kernel/platform.ts';
import { join } from 'node:path';
import { diskFault } from './disk-fault.ts';
import { FormerProducers } from './former-producers.ts';
import { OwnFolder } from './own-folder.ts';
import { removeUnnamed, SPOOL_FOLDER } from './producer-folder.ts';
import { SegmentReader, type ReadingLimits } from './segment-reader.ts';
import { SpoolWriter } from './spool-writer.ts';

interface SpoolOptions extends Pick<Platform, 'clock' | 'logger'> {
  readonly dataDir: string;
  /** The most bytes that may wait to be sent, former instances' included. */
  readonly maxBytes: number;
  /** This instance of the gateway: a new UUID. */
  readonly producer: string;
}

export interface OpenSpool {
  /** This producer's records, and its frames. */
  readonly writer: SpoolWriter;
  readonly own: SegmentReader;
  /** Bytes on disk that are not sent, of all producers. */
  waitingBytes(): number;
  /** Takes over producers whose process has ended. */
  orphans(): Promise<SegmentReader[]>;
}

export async function openSpool({
  dataDir,
  maxBytes,
  producer,
  clock,
  logger,
}: SpoolOptions): Promise<OpenSpool> {
  const root = join(dataDir, SPOOL_FOLDER);
  const folder = new OwnFolder({ root, producer, logger });
  const onFailure = (err: unknown): void =>
    logger.error({ err, ...diskFault(err) }, 'usage cannot be written to disk');
  const onDamage: ReadingLimits['onDamage'] = ({ tail, ...where }) => {
    // A torn last line was never confirmed: its requests were not answered.
    if (tail) logger.warn(where, 'the end of a usage log was cut off by a crash');
    else logger.error(where, 'a part of a usage log is damaged; its requests are not counted');
  };
  const former = new FormerProducers({ root, producer, logger, onDamage });
  // At once, because they take room from the beginning; and first, because sending them makes room.
  let taken: SegmentReader[] = [];
  try {
    taken = await former.take();
    await removeUnnamed(root);
  } catch (error) {
    // The next write reports it.
    if (diskFault(error) === undefined) throw error;
  }
  await folder.make();
  const writer = new SpoolWriter({
    folder,
    clock,
    onFailure,
    maxBytes: () => maxBytes - former.waitingBytes,
  });
  const own = new SegmentReader(folder, {
    sealed: (segment) => writer.sealed(segment),
    onDamage,
    onRemoved: (bytes) => writer.removed(bytes),
  });
  return {
    writer,
    own,
    waitingBytes: () => writer.waitingBytes + former.waitingBytes,
    async orphans() {
      const first = taken;
      taken = [];
      return [...first, ...(await former.take())];
    },
  };
}
