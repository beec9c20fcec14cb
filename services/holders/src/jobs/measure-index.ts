/** Measures the room that an index takes, now and then: engines count by reading. */
import { Job } from '@hindsight/kernel/job.ts';
import type { Logger } from '@hindsight/kernel/logger.ts';
import type { Attributes, Meter } from '@opentelemetry/api';
import type { HolderIndex, IndexSize } from '../ports.ts';

export interface MeasureIndexDeps {
  readonly index: Pick<HolderIndex, 'size'>;
  readonly meter: Meter;
  readonly logger: Logger;
  readonly network: string;
  /** True if there is something to measure: an engine is not loaded for it. */
  readonly isUsed: () => boolean;
}

const EVERY_MS = 60_000;

/** The job, not yet running. */
export function measureIndex({ index, meter, logger, network, isUsed }: MeasureIndexDeps): Job {
  let size: IndexSize | undefined;
  const of: Attributes = { 'hindsight.network': network };
  const gauge = (name: string, description: string, field: keyof IndexSize): void =>
    meter.createObservableGauge(`hindsight_holders_${name}`, { description }).addCallback((result) => {
      if (size !== undefined) result.observe(size[field], of);
    });
  gauge('index_rows', 'Rows of the index of holders', 'rows');
  gauge('index_bytes', 'Bytes that the index of holders takes', 'bytes');
  gauge('disk_free_bytes', 'Bytes that are free where the index of holders is', 'freeBytes');
  return new Job({
    name: 'size of the index of holders',
    work: async () => {
      if (isUsed()) size = await index.size();
    },
    firstAfterMs: 5_000,
    everyMs: EVERY_MS,
    logger,
  });
}
