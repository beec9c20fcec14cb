/**
 * Slows down clients that try keys: a few unknown ones cost nothing, more of them cost the client time. A
 * client is an IPv4 address, or the /64 of an IPv6 one.
 */
import type { Clock } from '@hindsight/kernel/clock.ts';
import { addressBlock } from '@hindsight/http/address-block.ts';
import { LRUCache } from 'lru-cache';
import { setTimeout as sleep } from 'node:timers/promises';
import { fullBucket, takeToken, type TokenBucket } from '../limits/token-bucket.ts';

/** A client's guesses beyond these, and beyond this rate, wait for an answer. */
const FREE_GUESSES = 10;
const GUESSES_A_SECOND = 1;
const DELAY_MS = 1_000;
/** Most waiting guesses of one address; further keys are not looked up. */
const MAX_WAITING = 20;
const MAX_ADDRESSES = 50_000;

interface Guesser {
  readonly bucket: TokenBucket;
  waiting: number;
}

/** Tracks addresses that sent unknown keys. */
export class GuessGuard {
  readonly #clock: Clock;
  readonly #guessers = new LRUCache<string, Guesser>({ maxSize: MAX_ADDRESSES, sizeCalculation: () => 1 });

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Call it before the lookup of a key that may be a guess: false for an address with too many of them under
   * way.
   */
  admits(address: string): boolean {
    return (this.#guessers.get(addressBlock(address))?.waiting ?? 0) < MAX_WAITING;
  }

  /** Notes an unknown key; resolves when its answer may go out. */
  async guessed(address: string): Promise<void> {
    const now = this.#clock.now();
    const block = addressBlock(address);
    let guesser = this.#guessers.get(block);
    if (guesser === undefined) {
      guesser = { bucket: fullBucket(FREE_GUESSES, now), waiting: 0 };
      this.#guessers.set(block, guesser);
    }
    if (takeToken(guesser.bucket, FREE_GUESSES, GUESSES_A_SECOND, now) === 0) return;
    guesser.waiting++;
    try {
      await sleep(DELAY_MS, undefined, { ref: false });
    } finally {
      guesser.waiting--;
    }
  }
}
