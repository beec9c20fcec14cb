/** Says that this life of the gateway lives, and so until when it may spend what it holds. */
import type { Clock } from '@hindsight/shared/clock.ts';
import type { Logger } from '@hindsight/shared/logger.ts';
import { LANE_LEASE_MS } from '@hindsight/shared/usage/lane-life.ts';
import type { QuotaLedger } from '@hindsight/shared/usage/ports.ts';

const EVERY_MS = 30_000;
const AFTER_FAILURE_MS = 3_000;

interface KeeperDeps {
  readonly registry: Pick<QuotaLedger, 'renewLane'>;
  /** This life of this gateway. */
  readonly lane: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** This life was given up: it can admit nothing any more. */
  readonly onEnded: () => void;
}

/** The job. */
export class LaneKeeper {
  readonly #deps: KeeperDeps;
  #until = 0;
  #next: NodeJS.Timeout | undefined;
  #expiry: NodeJS.Timeout | undefined;
  #renewing: Promise<void> | undefined;
  #stopped = false;

  constructor(deps: KeeperDeps) {
    this.#deps = deps;
  }

  /** Whether units may be spent at this moment: others take them for ours. */
  maySpend(now: number): boolean {
    return now < this.#until;
  }

  /** Renews the lane, whether that succeeds or not, and goes on by itself. Who asks at the same time shares a try. */
  renew(): Promise<void> {
    return (this.#renewing ??= this.#renew().finally(() => (this.#renewing = undefined)));
  }

  async #renew(): Promise<void> {
    const { registry, lane, clock, logger, onEnded } = this.#deps;
    clearTimeout(this.#next);
    let pause = EVERY_MS;
    // What the store notes is not earlier than this.
    const begun = clock.now();
    try {
      if (!(await registry.renewLane(lane))) {
        this.stop();
        logger.fatal({ lane }, 'this life of the gateway was given up: it was taken for dead');
        return onEnded();
      }
      if (this.#stopped) return;
      this.#until = begun + LANE_LEASE_MS;
      clearTimeout(this.#expiry);
      // Should the clock be put back, this measures all the same.
      this.#expiry = setTimeout(() => (this.#until = 0), LANE_LEASE_MS).unref();
    } catch (err) {
      pause = AFTER_FAILURE_MS;
      logger.warn({ err }, 'the lane could not be renewed; trying again');
    }
    if (!this.#stopped) this.#next = setTimeout(() => void this.renew(), pause).unref();
  }

  /** Nothing may be spent after this. */
  stop(): void {
    this.#stopped = true;
    this.#until = 0;
    clearTimeout(this.#next);
    clearTimeout(this.#expiry);
  }
}
