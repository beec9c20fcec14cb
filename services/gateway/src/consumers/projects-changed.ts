import type { Handler, ReceivedEvent } from '@hindsight/bus/port.ts';
import type { Topics } from '@hindsight/events/topics.ts';
import type { KeyCache } from '../ports.ts';

/** Drops cached entries of a changed project. A new key may have been cached as unknown before it existed. */
export function dropChangedKeys(cache: KeyCache): Handler<ReceivedEvent<Topics['projects.changed']>> {
  return async (events) => {
    for (const { type, data } of events) {
      cache.drop(data.projectId);
      if (type === 'created' || type === 'key-created' || type === 'key-rotated') cache.dropUnknown();
    }
  };
}
