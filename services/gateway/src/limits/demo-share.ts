/** Keeps single clients from using up the demo's month: each has a share of each day, by UTC. */
import { DAY_MS } from '@hindsight/kernel/durations.ts';
import type { Clock } from '@hindsight/kernel/clock.ts';
import { addressBlock } from '@hindsight/http/address-block.ts';
import { LRUCache } from 'lru-cache';

/** Units of one client: in 31 days 62,000 of the demo's 100,000 a month. */
export const DEMO_DAILY_SHARE = 2_000;

/** A forgotten client has its whole share again. */
const MAX_CLIENTS = 200_000;

interface Used {
  readonly day: number;
  units: number;
}

/** Each client's use of the demo today: an IPv4 address, or the /64 of an IPv6 one. */
export class DemoShare {
  readonly #clock: Clock;
  readonly #used = new LRUCache<string, Used>({ maxSize: MAX_CLIENTS, sizeCalculation: () => 1 });

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Takes units of a client's share, the most that a request may cost.
   * @returns if it has too few, the time at which the share is full again, in Unix milliseconds; else 0
   */
  take(address: string, units = 1): number {
    const used = this.#usedOf(address);
    if (used.units + units > DEMO_DAILY_SHARE) return (used.day + 1) * DAY_MS;
    used.units += units;
    return 0;
  }

  /** Gives back units: the request cost less than it might have. */
  release(address: string, units: number): void {
    const used = this.#usedOf(address);
    // Its day may have ended since.
    used.units = Math.max(used.units - units, 0);
  }

  leftOf(address: string): number {
    return DEMO_DAILY_SHARE - this.#usedOf(address).units;
  }

  #usedOf(address: string): Used {
    const client = addressBlock(address);
    const day = Math.floor(this.#clock.now() / DAY_MS);
    let used = this.#used.get(client);
    if (used?.day !== day) {
      used = { day, units: 0 };
      this.#used.set(client, used);
    }
    return used;
  }
}
