import type { Handler, ReceivedEvent } from '@hindsight/bus/port.ts';
import type { Topics } from '@hindsight/events/topics.ts';
import type { OpenStreams } from '../limits/open-streams.ts';
import type { CachedProjects } from './cached-projects.ts';

/**
 * Drops cached entries of a changed project, and ends its streams whose keys are refused now. A new key may
 * have been cached as unknown before it existed.
 */
export function dropChangedKeys(
  cache: CachedProjects,
  streams: readonly Pick<OpenStreams, 'changed'>[],
): Handler<ReceivedEvent<Topics['projects.changed']>> {
  return async (events) => {
    for (const { type, data } of events) {
      cache.drop(data.projectId);
      if (type === 'created' || type === 'key-created' || type === 'key-rotated') cache.dropUnknown();
      for (const open of streams) await open.changed(data.projectId);
    }
  };
}
