import type { Handler, ReceivedEvent } from '@hindsight/shared/bus/port.ts';
import type { Clock } from '@hindsight/shared/clock.ts';
import type { Topics } from '@hindsight/shared/events/topics.ts';
import { byRecord, type CountedEvent } from '@hindsight/shared/usage/fold.ts';
import type { UsageCounters } from '@hindsight/shared/usage/ports.ts';
import { checkDay } from '../domain/late.ts';
import { counting } from './count.ts';

type Event = ReceivedEvent<Topics['usage.recorded']>;

interface Parts {
  readonly usage: UsageCounters;
  readonly clock: Clock;
  /** Told how many requests were in a batch that is counted now, repetitions included. */
  readonly onCounted: (requests: number) => void;
  readonly onClosed: (lane: string, units: number) => void;
}

/** Counts the requests of each lane once, in order; when a lane is closed, what it has not spent is free again. */
export function countUsage({ usage, clock, onCounted, onClosed }: Parts): Handler<Event> {
  return (events) =>
    counting(async () => {
      let waiting: CountedEvent[] = [];
      const apply = async (): Promise<void> => {
        await usage.apply(byRecord(waiting));
        onCounted(waiting.reduce((sum, { entries }) => sum + requestsOf(entries), 0));
        waiting = [];
      };
      for (const event of events) {
        if (event.type === 'usage-recorded') waiting.push(toCounted(event, clock.now()));
        else {
          await apply();
          const { units } = await usage.closeLane(event.data.lane);
          onClosed(event.data.lane, units);
        }
      }
      await apply();
    });
}

function toCounted(event: Extract<Event, { type: 'usage-recorded' }>, now: number): CountedEvent {
  const { id, sequence, data } = event;
  if (sequence === undefined) throw new Error(`the event ${id} has no sequence`);
  const entries = data.entries.map(({ projectId, day, endpoint, requests }) => {
    checkDay(day, now);
    return { project: projectId, day, endpoint, requests, orders: 0 };
  });
  return { lane: data.lane, sequence, entries };
}

function requestsOf(entries: CountedEvent['entries']): number {
  return entries.reduce((sum, { requests }) => sum + requests, 0);
}
