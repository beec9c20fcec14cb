import type { Handler, ReceivedEvent } from '@hindsight/bus/port.ts';
import type { Topics } from '@hindsight/events/topics.ts';
import type { KeyCache } from '../ports.ts';

/** Drops what is remembered of a project that has changed. A key that is new may have been asked for before it was one. */
export function dropChangedKeys(cache: KeyCache): Handler<ReceivedEvent<Topics['projects.changed']>> {
  return async (events) => {
    for (const { type, data } of events) {
      cache.drop(data.projectId);
      if (type === 'created' || type === 'key-rotated') cache.dropUnknown();
    }
  };
}
