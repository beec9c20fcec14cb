/** Publishes the contents of the outbox: in order, at least once, each time under the same numbers. */
import { isRecent } from '@hindsight/kernel/clock.ts';
import type { Platform } from '@hindsight/kernel/platform.ts';
import { Job } from '@hindsight/kernel/job.ts';
import type { OrderPublisher, Outbox } from '../ports.ts';

export interface OrderRelayDeps extends Pick<Platform, 'clock' | 'logger'> {
  readonly outbox: Outbox;
  readonly publisher: OrderPublisher;
  /** Unique among all relays of an installation. */
  readonly relayId: string;
  readonly onPublished: (orders: number) => void;
  /** Milliseconds between looks for what other instances have stored. */
  readonly lookEveryMs: number;
}

/** Another relay takes over when the leader has been silent for this long. */
const LEAD_MS = 5_000;
const RENEW_WITHIN_MS = 2_000;
/** Orders in one publish. */
const BATCH = 200;
/** Each batch costs the store several writes, so orders that come close together go out together. */
const GATHER_MS = 50;
/** Interval at which a relay that does not lead asks for the lead. */
const ASK_AGAIN_MS = 500;

/** One of any number of relays over the same outbox. */
export class OrderRelay {
  /** Publishes; nudge it when something was stored. */
  readonly job: Job;
  readonly #deps: OrderRelayDeps;
  #leadsUntil = 0;
  #refusedAt = -Infinity;

  constructor(deps: OrderRelayDeps) {
    this.#deps = deps;
    const { logger, lookEveryMs } = deps;
    this.job = new Job({
      name: 'relay of orders',
      everyMs: lookEveryMs,
      gatherMs: GATHER_MS,
      logger,
      work: () => this.#pass(),
    });
  }

  /** Ends after the current batch, and lets another relay lead at once. */
  async stop(): Promise<void> {
    await this.job.stop();
    await this.#deps.outbox.resign(this.#deps.relayId).catch(() => undefined);
  }

  /** Publishes one batch. Resolves to true if more may be waiting. */
  async #pass(): Promise<boolean> {
    const { outbox, publisher, relayId, onPublished } = this.#deps;
    if (!(await this.#lead())) return false;
    const batch = await outbox.nextBatch(relayId, BATCH);
    if (batch === null) return false;
    await publisher.publish(batch);
    await outbox.finish(relayId, batch);
    onPublished(batch.entries.length);
    return batch.entries.length === BATCH;
  }

  async #lead(): Promise<boolean> {
    const { outbox, relayId, clock } = this.#deps;
    const now = clock.now();
    const left = this.#leadsUntil - now;
    // More than it ever is: the clock was set back.
    if (left > LEAD_MS - RENEW_WITHIN_MS && left <= LEAD_MS) return true;
    if (isRecent(this.#refusedAt, ASK_AGAIN_MS, now)) return false;
    const leads = await outbox.lead(relayId, now, now + LEAD_MS);
    this.#leadsUntil = leads ? now + LEAD_MS : 0;
    this.#refusedAt = leads ? -Infinity : now;
    return leads;
  }
}
