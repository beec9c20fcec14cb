import { z } from 'zod';
import { defineTopic } from './topic.ts';

/** Longer than late events are counted, so that a consumer that was down for weeks misses none. */
const RETENTION_MS = 40 * 24 * 3_600_000;
/** The most entries of one event; a busier moment takes several events. */
export const MAX_USAGE_ENTRIES = 500;

/** The producer: one instance of a gateway. `lane` is its name on the wire. */
const lane = z.uuid();

const entry = z.object({
  projectId: z.string().min(1).max(200),
  /** The UTC day at which the requests were admitted: also the month in which they count. */
  day: z.iso.date(),
  /** The route's name, never a path. */
  endpoint: z.string().regex(/^[a-z][a-z0-9-]{0,63}$/),
  /** 0 where a request goes on that was counted before: a stream is counted in portions. */
  requests: z.number().int().min(0).max(1_000_000_000),
  /** Their cost, in units of the month's limit. Absent if each costs one, as always in earlier versions. */
  units: z.number().int().min(1).max(1_000_000_000).optional(),
  /**
   * The HTTP status that was answered; a seldom one as the first of its class, such as 400, so that there are few.
   * Absent in events of earlier versions.
   */
  status: z.number().int().min(100).max(599).optional(),
  /** The key's id, never the key. Absent in events of earlier versions. */
  key: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,64}$/)
    .optional(),
  /** True if the key has its own monthly cap; the units count towards it too. */
  capped: z.literal(true).optional(),
});

const recorded = z.object({
  lane,
  entries: z.array(entry).min(1).max(MAX_USAGE_ENTRIES),
});

export type UsageRecorded = z.output<typeof recorded>;

/** Requests that count, and what they cost. */
export const usageRecorded = defineTopic({
  name: 'usage.recorded',
  keyMeaning: 'the producer, one instance of a gateway; the field `lane`',
  keyOf: (data) => data.lane,
  events: {
    'usage-recorded': recorded,
    /** The last event of a producer: nothing more follows. */
    'lane-closed': z.object({ lane }),
  },
  partitions: 6,
  retentionMs: RETENTION_MS,
  guarantee:
    'Every request that was answered below 500 (but for 304, 401, 403 and 429), at least once, in order for each producer; repetitions carry the same id, source and sequence. Sequences rise within a producer. `units` is what the requests cost where that is not one each; `status` is what they were answered with and `key` the id of the key that they came with. A long request is counted in portions, of which the first has it among its requests.',
});
