import { EventsRefused, HandlerUnavailable } from '@hindsight/bus/errors.ts';
import { RecordTooLarge } from '@hindsight/stores/too-large.ts';
import { monthOf } from '@hindsight/usage/calendar.ts';
import { byRecord, type CountedEntry, type CountedEvent } from '@hindsight/usage/fold.ts';
import { LATEST_DAYS } from '@hindsight/usage/lateness.ts';
import type { Refusal, UsageCounters } from '@hindsight/usage/ports.ts';
import { daysInTime } from '../domain/late.ts';

/** One batch: events are added, applied together, and what cannot be counted is remembered. */
export class Count<Event extends { readonly sequence?: number | undefined }> {
  readonly #usage: UsageCounters;
  readonly #lateness: (day: string) => string | undefined;
  readonly #refused = new Map<Event, string>();
  #waiting: { event: Event; counted: CountedEvent }[] = [];

  constructor(usage: UsageCounters, now: number) {
    this.#usage = usage;
    this.#lateness = daysInTime(now, LATEST_DAYS);
  }

  /**
   * To be applied next. An event without a sequence, or of which a day is out of time, is refused whole: only a corrected
   * one could be counted.
   */
  add(event: Event, producer: string, entries: readonly CountedEntry[]): void {
    const { sequence } = event;
    if (sequence === undefined) return void this.#refused.set(event, 'it has no sequence');
    for (const { day } of entries) {
      const late = this.#lateness(day);
      if (late !== undefined) return void this.#refused.set(event, late);
    }
    this.#waiting.push({ event, counted: { producer, sequence, entries } });
  }

  async apply(): Promise<void> {
    const waiting = this.#waiting;
    this.#waiting = [];
    const records = byRecord(waiting.map(({ counted }) => counted));
    const refusals = await atStore(() => this.#usage.apply(records));
    if (refusals.length === 0) return;
    for (const { event, counted } of waiting) {
      const refusal = refusals.find((one) => concerns(one, counted));
      if (refusal !== undefined) this.#refused.set(event, refusal.reason);
    }
  }

  /** @throws {EventsRefused} for what was not counted */
  end(): void {
    if (this.#refused.size > 0) throw new EventsRefused(this.#refused);
  }
}

function concerns({ producer, project, month }: Refusal, counted: CountedEvent): boolean {
  if (counted.producer !== producer) return false;
  return counted.entries.some((entry) => entry.project === project && monthOf(entry.day) === month);
}

/**
 * Has the store do something. Whatever goes wrong with it makes the events wait: they were checked against their schema,
 * so they are not at fault, and a dead letter would never be counted.
 * @throws {HandlerUnavailable} {RecordTooLarge} the one thing that waiting does not help
 */
export async function atStore<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof RecordTooLarge) throw error;
    throw new HandlerUnavailable('usage cannot be counted at the moment', { cause: error });
  }
}
