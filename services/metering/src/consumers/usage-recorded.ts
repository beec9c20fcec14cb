import type { Handler, ReceivedEvent } from '@hindsight/shared/bus/port.ts';
import type { Clock } from '@hindsight/shared/clock.ts';
import type { Topics } from '@hindsight/shared/events/topics.ts';
import type { CountedEntry } from '@hindsight/shared/usage/fold.ts';
import type { LaneRegistry, UsageCounters } from '@hindsight/shared/usage/ports.ts';
import { atStore, Count } from './count.ts';

type Event = ReceivedEvent<Topics['usage.recorded']>;
type Recorded = Extract<Event, { type: 'usage-recorded' }>;

interface Parts {
  readonly usage: UsageCounters & Pick<LaneRegistry, 'closeLane'>;
  readonly clock: Clock;
  /** Told how many requests were in a batch that is counted now, repetitions included. */
  readonly onCounted: (requests: number) => void;
  readonly onClosed: (lane: string, units: number) => void;
}

/**
 * Counts the requests of each lane once, in order; when a lane is closed, what it has not spent is free again. What is
 * too late is refused, and of a lane that was given up what its month has no units left for.
 */
export function countUsage({ usage, clock, onCounted, onClosed }: Parts): Handler<Event> {
  return async (events) => {
    const count = new Count<Event>(usage, clock.now());
    let requests = 0;
    for (const event of events) {
      if (event.type === 'lane-closed') {
        await count.apply();
        const { units } = await atStore(() => usage.closeLane(event.data.lane));
        onClosed(event.data.lane, units);
        continue;
      }
      const { sequence, data } = event;
      const entries = entriesOf(event);
      for (const entry of entries) requests += entry.requests;
      if (sequence === undefined) count.refuse(event, 'it has no sequence');
      else count.add(event, { lane: data.lane, sequence, entries });
    }
    await count.apply();
    onCounted(requests);
    count.end();
  };
}

function entriesOf({ data }: Recorded): CountedEntry[] {
  return data.entries.map(({ projectId: project, day, endpoint, requests }) => ({
    project,
    day,
    endpoint,
    requests,
    orders: 0,
  }));
}
