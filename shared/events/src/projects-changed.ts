import { z } from 'zod';
import { defineTopic } from './topic.ts';

/** A week: after a longer absence a consumer reads the projects themselves. */
const RETENTION_MS = 7 * 24 * 3_600_000;

function dataOf<const Change extends string>(change: Change) {
  return z.object({
    /** The project's internal id; never a key. */
    projectId: z.string().min(1).max(200),
    change: z.literal(change),
    /** ISO 8601, UTC. */
    at: z.iso.datetime(),
  });
}

/** A project has changed: consumers that keep a copy drop it. */
export const projectsChanged = defineTopic({
  name: 'projects.changed',
  keyMeaning: 'project id',
  keyOf: ({ projectId }) => projectId,
  events: {
    created: dataOf('created'),
    'key-created': dataOf('key-created'),
    'key-changed': dataOf('key-changed'),
    'key-rotated': dataOf('key-rotated'),
    'key-revoked': dataOf('key-revoked'),
    'plan-changed': dataOf('plan-changed'),
    'alerts-changed': dataOf('alerts-changed'),
    suspended: dataOf('suspended'),
    resumed: dataOf('resumed'),
    /** Its keys have ended for good. */
    deleted: dataOf('deleted'),
  },
  partitions: 3,
  retentionMs: RETENTION_MS,
  guarantee:
    'Published at least once after each committed change, in the order of the changes of a project; repetitions carry the same id.',
});
