/**
 * Opens the spool, a write-ahead log of counted requests: one for this instance of the gateway, and those that former
 * instances have left behind.
 */
import type { Clock } from '@hindsight/kernel/clock.ts';
import type { Logger } from '@hindsight/kernel/logger.ts';
import { join } from 'node:path';
import type { ProducerFrames, UsageSpool } from '../ports.ts';
import { diskFault } from './disk-fault.ts';
import { FormerProducers } from './former-producers.ts';
import { OwnFolder } from './own-folder.ts';
import { removeUnnamed, SPOOL_FOLDER } from './producer-folder.ts';
import { SegmentReader, type ReadingLimits } from './segment-reader.ts';
import { SpoolWriter } from './spool-writer.ts';

/** Folder and limits. */
export interface SpoolOptions {
  /** `DATA_DIR`. */
  readonly dataDir: string;
  /** The most bytes that may wait to be sent, former instances' included. */
  readonly maxBytes: number;
  /** This instance of the gateway: a new UUID. */
  readonly producer: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** An open spool. */
export interface OpenSpool {
  readonly producer: string;
  readonly spool: UsageSpool;
  /** This producer's frames. */
  readonly own: ProducerFrames;
  /** Bytes on disk that are not sent, and those of them that this producer has written. */
  waitingBytes(): number;
  ownWaitingBytes(): number;
  /** Calls back whenever there is something new to send. */
  onWritten(listener: () => void): void;
  /** Makes everything recorded up to now readable as one frame. */
  seal(): void;
  /** Takes over producers whose process has ended. */
  orphans(): Promise<ProducerFrames[]>;
  /** Ends the current segment early, so that sent usage can be removed. */
  endSegment(): Promise<void>;
  /** Takes no more records; waiting ones are written. */
  close(): Promise<void>;
}

/** Opens the spool. */
export async function openSpool({
  dataDir,
  maxBytes,
  producer,
  clock,
  logger,
}: SpoolOptions): Promise<OpenSpool> {
  const root = join(dataDir, SPOOL_FOLDER);
  const folder = new OwnFolder({ root, producer, logger });
  let notify = (): void => undefined;
  const onFailure = (err: unknown): void =>
    logger.error({ err, ...diskFault(err) }, 'usage cannot be written to disk');
  const onDamage: ReadingLimits['onDamage'] = ({ tail, ...where }) => {
    // A torn last line was never confirmed: its requests were not answered.
    if (tail) logger.warn(where, 'the end of a usage log was cut off by a crash');
    else logger.error(where, 'a part of a usage log is damaged; its requests are not counted');
  };
  const former = new FormerProducers({ root, producer, logger, onDamage });
  // At once, because they take room from the beginning; and first, because sending them makes room.
  let taken: ProducerFrames[] = [];
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
    onWritten: () => notify(),
    onFailure,
    maxBytes: () => maxBytes - former.waitingBytes,
  });
  const own = new SegmentReader(folder, {
    sealed: (segment) => writer.sealed(segment),
    onDamage,
    onRemoved: (bytes) => writer.removed(bytes),
  });
  return {
    producer,
    spool: writer,
    own,
    waitingBytes: () => writer.waitingBytes + former.waitingBytes,
    ownWaitingBytes: () => writer.waitingBytes,
    onWritten: (listener) => (notify = listener),
    seal: () => writer.seal(),
    async orphans() {
      const first = taken;
      taken = [];
      return [...first, ...(await former.take())];
    },
    endSegment: () => writer.endSegment(),
    async close() {
      folder.close();
      await writer.close();
    },
  };
}
