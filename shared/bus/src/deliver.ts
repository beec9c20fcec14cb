/**
 * Passes a batch of records to a handler. A failing event is retried, isolated and dead-lettered, never
 * skipped.
 */
import { MalformedEvent } from '@hindsight/events/envelope.ts';
import type { BusEvent } from '@hindsight/events/topic.ts';
import type { Logger } from '@hindsight/kernel/logger.ts';
import { EventsRefused, HandlerUnavailable } from './errors.ts';
import type { BatchLink, StoredRecord } from './log.ts';
import type { Handler, Position } from './port.ts';
import { backoff, pause } from '@hindsight/kernel/retry.ts';

export interface RetryPolicy {
  /** Attempts on a single event before it is dead-lettered. */
  readonly attempts: number;
  readonly firstDelayMs: number;
  readonly maxDelayMs: number;
}

/** An event of any topic. The registry types it for those who publish and handle it; in between, one type covers all. */
export type Received = BusEvent & Position;

/** Handler of the records, and the ways out for those that fail. */
export interface DeliveryPlan {
  /** @throws {MalformedEvent} */
  decode(record: StoredRecord): Received;
  readonly handler: Handler<Received>;
  readonly maxBatch: number;
  readonly retry: RetryPolicy;
  /** Writes the dead letter; rejects if it could not. */
  deadLetter(record: StoredRecord, reason: string): Promise<void>;
  readonly logger: Logger;
}

/** Dead letters that are written together. */
const DEAD_LETTERS_AT_ONCE = 100;

interface Item {
  readonly record: StoredRecord;
  readonly event: Received;
}

/**
 * Returns when everything is handled and committed, or early when the link's signal is aborted: uncommitted
 * events are delivered again. Rejects only when a commit does.
 */
export async function deliver(
  records: readonly StoredRecord[],
  link: BatchLink,
  plan: DeliveryPlan,
): Promise<void> {
  let slice: Item[] = [];
  for (const record of records) {
    const item = decode(record, plan);
    if (item instanceof MalformedEvent || slice.length === plan.maxBatch) {
      await handleSlice(slice, link, plan);
      slice = [];
    }
    if (item instanceof MalformedEvent) await deadLetterOne(record, item, link, plan);
    else slice.push(item);
  }
  await handleSlice(slice, link, plan);
}

function decode(record: StoredRecord, plan: DeliveryPlan): Item | MalformedEvent {
  try {
    return { record, event: plan.decode(record) };
  } catch (error) {
    return error instanceof MalformedEvent ? error : new MalformedEvent(describe(error));
  }
}

async function handleSlice(slice: readonly Item[], link: BatchLink, plan: DeliveryPlan): Promise<void> {
  const last = slice.at(-1);
  if (last === undefined || link.signal.aborted) return;
  const together = slice.length === 1 ? 'not tried' : await attempt(slice, link, plan);
  if (together === 'done') return link.commit(last.record.offset);
  if (together instanceof EventsRefused) {
    await deadLetterSome(slice, together, link, plan);
    return link.signal.aborted ? undefined : link.commit(last.record.offset);
  }
  // A faulty event in the batch, or a transient failure: handle one by one, so that only the faulty event is
  // dead-lettered.
  for (const item of slice) {
    if (link.signal.aborted) return;
    await handleOne(item, link, plan);
  }
}

async function handleOne(item: Item, link: BatchLink, plan: DeliveryPlan): Promise<void> {
  for (let failures = 1; ; failures++) {
    const outcome = await attempt([item], link, plan);
    if (outcome === 'done') return link.commit(item.record.offset);
    if (outcome === 'interrupted') return;
    if (outcome instanceof EventsRefused || failures >= plan.retry.attempts)
      return deadLetterOne(item.record, outcome, link, plan);
    await pause(backoff(failures, plan.retry.firstDelayMs, plan.retry.maxDelayMs), link.signal);
    if (link.signal.aborted) return;
  }
}

/** Calls the handler, and again while a dependency of it is unavailable. */
async function attempt(
  items: readonly Item[],
  link: BatchLink,
  plan: DeliveryPlan,
): Promise<'done' | 'interrupted' | Error> {
  const events = items.map((item) => item.event);
  const { topic, partition, signal } = link;
  for (let tries = 1; ; tries++) {
    try {
      await plan.handler(events, { topic, partition, signal });
      return 'done';
    } catch (err) {
      if (err instanceof EventsRefused) return err;
      const where = { topic, partition, offset: items[0]?.record.offset, events: events.length };
      plan.logger.warn({ ...where, err }, 'a handler failed; retrying its events');
      if (!(err instanceof HandlerUnavailable)) return err instanceof Error ? err : new Error(describe(err));
    }
    await pause(backoff(tries, plan.retry.firstDelayMs, plan.retry.maxDelayMs), signal);
    if (signal.aborted) return 'interrupted';
  }
}

/** All others of the slice were handled. */
async function deadLetterSome(
  slice: readonly Item[],
  { reasons }: EventsRefused,
  link: BatchLink,
  plan: DeliveryPlan,
): Promise<void> {
  const deadLetters = slice.flatMap(({ record, event }) => {
    const reason = reasons.get(event);
    return reason === undefined ? [] : [{ record, reason: `EventsRefused: ${reason}` }];
  });
  for (let at = 0; at < deadLetters.length && !link.signal.aborted; at += DEAD_LETTERS_AT_ONCE) {
    await writeDeadLetters(deadLetters.slice(at, at + DEAD_LETTERS_AT_ONCE), link, plan);
  }
}

async function deadLetterOne(
  record: StoredRecord,
  error: Error,
  link: BatchLink,
  plan: DeliveryPlan,
): Promise<void> {
  await writeDeadLetters([{ record, reason: describe(error) }], link, plan);
  if (!link.signal.aborted) await link.commit(record.offset);
}

interface DeadRecord {
  readonly record: StoredRecord;
  readonly reason: string;
}

/** Writes dead letters. While that fails, the offset stays and it keeps trying, until the link is aborted. */
async function writeDeadLetters(
  deadLetters: readonly DeadRecord[],
  link: BatchLink,
  plan: DeliveryPlan,
): Promise<void> {
  let waiting = deadLetters;
  for (let tries = 1; waiting.length > 0 && !link.signal.aborted; tries++) {
    const outcomes = await Promise.allSettled(
      waiting.map(({ record, reason }) => plan.deadLetter(record, reason)),
    );
    const failed: DeadRecord[] = [];
    for (const [i, deadLetter] of waiting.entries()) {
      const { topic, partition, offset } = deadLetter.record;
      const about = { topic, partition, offset, reason: deadLetter.reason };
      const outcome = outcomes[i];
      if (outcome?.status === 'fulfilled') plan.logger.error(about, 'an event was dead-lettered');
      else {
        failed.push(deadLetter);
        const err: unknown = outcome?.reason;
        plan.logger.error({ ...about, err }, 'a dead letter could not be written; trying again');
      }
    }
    waiting = failed;
    if (failed.length > 0) {
      await pause(backoff(tries, plan.retry.firstDelayMs, plan.retry.maxDelayMs), link.signal);
    }
  }
}

function describe(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}
