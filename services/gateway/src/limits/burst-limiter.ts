/** Requests a second: a bucket for each project, and for each client that uses the demo key. */
import type { Clock } from '@hindsight/kernel/clock.ts';
import { addressBlock } from '@hindsight/http/address-block.ts';
import { LRUCache } from 'lru-cache';
import { burstShareOf } from './burst-share.ts';
import { fullBucket, takeToken, type TokenBucket } from './token-bucket.ts';

/** The most buckets to remember: a forgotten one is full again. */
const MAX_BUCKETS = 200_000;

/** A bucket's size and requests a second of one visitor of the demo: less than the demo project has as a whole. */
export const DEMO_ADDRESS = { size: 5, rate: 2 };

export interface BurstVerdict {
  /** Milliseconds until there is room; 0 when the request may pass. */
  readonly waitMs: number;
  /** Requests left in this second. */
  readonly left: number;
}

export class BurstLimiter {
  readonly #clock: Clock;
  /** Number of gateways: each grants its share. */
  readonly #gateways: () => number;
  readonly #projects = new LRUCache<string, TokenBucket>({ maxSize: MAX_BUCKETS, sizeCalculation: () => 1 });
  readonly #addresses = new LRUCache<string, TokenBucket>({ maxSize: MAX_BUCKETS, sizeCalculation: () => 1 });

  constructor(clock: Clock, gateways: () => number = () => 1) {
    this.#clock = clock;
    this.#gateways = gateways;
  }

  /** Takes a token of a project. @param tokens 0 only reads the rest */
  take(project: string, rate: number, tokens: 0 | 1 = 1): BurstVerdict {
    const ours = burstShareOf(this.#gateways());
    const size = Math.max(rate * ours.bucket, 1);
    return takeFrom(this.#projects, project, { size, rate: rate * ours.rate, tokens }, this.#clock.now());
  }

  /** Takes a token of a client that uses the demo key: an IPv4 address, or the /64 of an IPv6 one. */
  takeForDemo(address: string): BurstVerdict {
    return takeFrom(
      this.#addresses,
      addressBlock(address),
      { ...DEMO_ADDRESS, tokens: 1 },
      this.#clock.now(),
    );
  }
}

function takeFrom(
  buckets: LRUCache<string, TokenBucket>,
  key: string,
  { size, rate, tokens }: { readonly size: number; readonly rate: number; readonly tokens: 0 | 1 },
  now: number,
): BurstVerdict {
  let bucket = buckets.get(key);
  if (bucket === undefined) {
    bucket = fullBucket(size, now);
    buckets.set(key, bucket);
  }
  return { waitMs: takeToken(bucket, size, rate, now, tokens), left: bucket.tokens };
}
