import type { Handler, ReceivedEvent } from '@hindsight/bus/port.ts';
import type { Clock } from '@hindsight/kernel/clock.ts';
import type { Topics } from '@hindsight/events/topics.ts';
import type { CountedEntry } from '@hindsight/usage/fold.ts';
import type { ProducerRegistry, UsageCounters } from '@hindsight/usage/ports.ts';
import { atStore, Count } from './count.ts';

type Event = ReceivedEvent<Topics['usage.recorded']>;
type Recorded = Extract<Event, { type: 'usage-recorded' }>;

interface Deps {
  readonly usage: UsageCounters & Pick<ProducerRegistry, 'closeProducer'>;
  readonly clock: Clock;
  /** Called with the number of requests in a batch that was counted, repetitions included. */
  readonly onCounted: (requests: number) => void;
  readonly onClosed: (producer: string, units: number) => void;
}

/**
 * Counts the units of each producer's requests once, in order; when a producer is closed, its unspent units are free again.
 * Late usage is refused. On the wire a producer is called a lane.
 */
export function countUsage({ usage, clock, onCounted, onClosed }: Deps): Handler<Event> {
  return async (events) => {
    const count = new Count<Event>(usage, clock.now());
    let requests = 0;
    for (const event of events) {
      if (event.type === 'lane-closed') {
        await count.apply();
        const { units } = await atStore(() => usage.closeProducer(event.data.lane));
        onClosed(event.data.lane, units);
        continue;
      }
      for (const entry of event.data.entries) requests += entry.requests;
      count.add(event, event.data.lane, entriesOf(event));
    }
    await count.apply();
    onCounted(requests);
    count.end();
  };
}

function entriesOf({ data }: Recorded): CountedEntry[] {
  return data.entries.map(({ projectId: project, requests, units = requests, ...entry }) => ({
    ...entry,
    project,
    requests: units,
    orders: 0,
  }));
}
