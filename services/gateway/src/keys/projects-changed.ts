import type { Handler, ReceivedEvent } from '@hindsight/bus/port.ts';
import type { Topics } from '@hindsight/events/topics.ts';
import type { OpenStreams } from '../limits/open-streams.ts';
import type { CachedProjects } from './cached-projects.ts';

/**
 * Drops cached entries of a changed project, and has the keys of its streams checked, which end if they are refused now. A
 * new key may have been cached as unknown before it existed.
 */
export function dropChangedKeys(
  cache: CachedProjects,
  streams: readonly Pick<OpenStreams, 'changed'>[],
): Handler<ReceivedEvent<Topics['projects.changed']>> {
  return async (events) => {
    for (const { type, data } of events) {
      cache.drop(data.projectId);
      if (type === 'created' || type === 'key-created' || type === 'key-rotated') cache.dropUnknown();
      // Not awaited: a slow store would hold up the changes of other projects. It never rejects.
      for (const open of streams) void open.changed(data.projectId);
    }
  };
}
