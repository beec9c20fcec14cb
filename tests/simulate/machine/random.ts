/** Seeded randomness, which decides everything in a run. */
import { seeded } from '@hindsight/tools/scale/random.ts';

/** Numbers that follow from a seed. */
export class Random {
  /** From 0 to 1, without 1. */
  readonly next: () => number;

  constructor(seed: number) {
    this.next = seeded(seed);
    // Skips the first numbers, which are alike for neighbouring seeds.
    for (let i = 0; i < 8; i++) this.next();
  }

  /** A whole number from 0 to `end`, without `end`. */
  below(end: number): number {
    return Math.floor(this.next() * end);
  }

  between(from: number, to: number): number {
    return from + this.next() * (to - from);
  }

  /** An exponentially distributed number with this mean. */
  about(mean: number): number {
    return -Math.log(1 - this.next()) * mean;
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(of: readonly T[]): T {
    return of[this.below(of.length)]!;
  }

  bytes(count: number): Buffer {
    return Buffer.from(Array.from({ length: count }, () => this.below(256)));
  }

  /** In the shape of a version 4 UUID. */
  uuid(): string {
    const hex = this.bytes(16).toString('hex');
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20)}`;
  }
}
