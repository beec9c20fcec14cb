import { z } from 'zod';
import { defineTopic } from './topic.ts';

/** Longer than a month, so that a consumer that was down gets all alerts of the month. */
const RETENTION_MS = 40 * 24 * 3_600_000;

/** A project has used a share of its monthly limit. */
export const usageThreshold = defineTopic({
  name: 'usage.threshold',
  keyMeaning: 'project id',
  keyOf: ({ projectId }) => projectId,
  events: {
    'usage-threshold-reached': z.object({
      /** The project's internal id; never a key. */
      projectId: z.string().min(1).max(200),
      /** The UTC calendar month, as 2026-11. */
      month: z.string().regex(/^\d{4}-(0[1-9]|1[0-2])$/),
      /** In per cent of the limit. */
      threshold: z.number().int().min(1).max(100),
      /** Units counted in the month when the threshold was noticed; may exceed it. */
      requests: z.number().int().min(0),
      /** The monthly limit at that moment, in units. */
      limit: z.number().int().min(0),
      /** ISO 8601, UTC. */
      reachedAt: z.iso.datetime(),
    }),
  },
  partitions: 3,
  retentionMs: RETENTION_MS,
  guarantee:
    'One event for each project, month and threshold, at least once; repetitions carry the same id, made of the three. It is decided from the usage that is counted, a second or so behind the requests. A threshold that was reached is not reached again in its month, whatever becomes of the plan.',
});
