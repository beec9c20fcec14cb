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

/** Gives back units of those that were taken: the request cost less than it might have. */
export type GiveBack = (units: number) => void;

/** Each client's use of the demo today: an IPv4 address, or the /64 of an IPv6 one. */
export class DemoShare {
  readonly #clock: Clock;
  readonly #used = new LRUCache<string, Used>({ maxSize: MAX_CLIENTS, sizeCalculation: () => 1 });

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Takes units of a client's share, the most that a request may cost.
   * @returns undefined if it has too few
   */
  take(address: string, units = 1): GiveBack | undefined {
    const used = this.#usedOf(address);
    if (used.units + units > DEMO_DAILY_SHARE) return undefined;
    used.units += units;
    // Of the day on which they were taken, which may be over.
    return (unspent) => void (used.units -= unspent);
  }

  /** The rest of a client's share, and the time at which it is whole again, in Unix milliseconds. */
  leftOf(address: string): { readonly left: number; readonly end: number } {
    const { day, units } = this.#usedOf(address);
    return { left: DEMO_DAILY_SHARE - units, end: (day + 1) * DAY_MS };
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
