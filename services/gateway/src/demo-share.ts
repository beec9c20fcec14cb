/** So that no single client uses up the demo's month: it has a share of each day, by UTC. */
import { DAY_MS } from '@hindsight/kernel/durations.ts';
import type { Clock } from '@hindsight/kernel/clock.ts';
import { addressBlock } from '@hindsight/http/address-block.ts';
import { LRUCache } from 'lru-cache';

/** Of one client: in 31 days 62,000 of the demo's 100,000 a month. */
export const DEMO_DAILY_SHARE = 2_000;

/** A client that is forgotten has its whole share again. */
const MAX_CLIENTS = 200_000;

/** What each client has used of the demo today: an IPv4 address, or the /64 of an IPv6 one. */
export class DemoShare {
  readonly #clock: Clock;
  readonly #used = new LRUCache<string, { readonly day: number; requests: number }>({ max: MAX_CLIENTS });

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Takes one request of a client's share. @returns when the share is full again, Unix time, if it is used up; else 0 */
  take(address: string): number {
    const client = addressBlock(address);
    const day = Math.floor(this.#clock.now() / DAY_MS);
    let used = this.#used.get(client);
    if (used?.day !== day) {
      used = { day, requests: 0 };
      this.#used.set(client, used);
    }
    if (used.requests >= DEMO_DAILY_SHARE) return (day + 1) * DAY_MS;
    used.requests++;
    return 0;
  }
}
