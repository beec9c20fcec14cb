/** The pace of a run: bursts, in which clients are busy, and quiet hours between them. */
import type { Random } from './machine/random.ts';

/** Milliseconds since the beginning of the run. */
interface Burst {
  readonly from: number;
  readonly until: number;
}

const MINUTE = 60_000;
/** A burst is at least this long, unless it is the only one. */
const SHORTEST_MS = MINUTE / 2;
const MOST_BURSTS = 5;
/** Faults and their aftermath may go on after a burst. */
const AFTERMATH_MS = 3 * MINUTE;
const LOOK_EVERY_QUIET_MS = 30 * MINUTE;
/** Share of runs in which a month ends near a burst. */
const EDGE_SHARE = 0.6;

export class Pace {
  readonly bursts: readonly Burst[];
  /** The moment at which a month ends; it may lie outside of the run. */
  readonly monthEnd: number;

  /** @param busyMs how much of it clients are busy; all, if the run is no longer */
  constructor(random: Random, lastMs: number, busyMs: number) {
    this.bursts = drawBursts(random, lastMs, busyMs);
    const { from, until } = random.pick(this.bursts);
    this.monthEnd = random.chance(EDGE_SHARE)
      ? random.between(from - MINUTE / 2, until + MINUTE)
      : random.between(-0.5, 1.5) * lastMs;
  }

  get kind(): 'busy' | 'withQuietHours' {
    return this.bursts.length === 1 ? 'busy' : 'withQuietHours';
  }

  get end(): number {
    return this.bursts.at(-1)!.until;
  }

  /** Milliseconds from a moment until clients have been busy for some more; Infinity if the run ends before. */
  pause(now: number, busyMs: number): number {
    let left = busyMs;
    for (const { from, until } of this.bursts) {
      const begin = Math.max(now, from);
      if (begin + left < until) return begin + left - now;
      left -= Math.max(0, until - begin);
    }
    return Infinity;
  }

  /** The moment of the next look at the promises that always hold: soon where something happens. */
  nextLook(now: number): number {
    const isNear = this.bursts.some(({ from, until }) => from <= now && now < until + AFTERMATH_MS);
    if (isNear) return now + MINUTE;
    const next = this.bursts.find(({ from }) => from > now)?.from ?? Infinity;
    return Math.min(now + LOOK_EVERY_QUIET_MS, next);
  }
}

/** The first begins with the run, and the last ends with it. */
function drawBursts(random: Random, lastMs: number, busyMs: number): Burst[] {
  const quietMs = lastMs - busyMs;
  if (quietMs <= 0) return [{ from: 0, until: lastMs }];
  const most = Math.min(MOST_BURSTS, Math.floor(busyMs / SHORTEST_MS));
  const count = Math.max(2, 2 + random.below(most - 1));
  const lengths = shares(random, count).map(
    (share) => SHORTEST_MS + share * Math.max(0, busyMs - count * SHORTEST_MS),
  );
  const gaps = shares(random, count - 1).map((share) => share * quietMs);
  let at = 0;
  return lengths.map((length, index) => {
    const burst = { from: at, until: at + length };
    at = burst.until + (gaps[index] ?? 0);
    return burst;
  });
}

/** Parts of one, some much larger than others. */
function shares(random: Random, count: number): number[] {
  const parts = Array.from({ length: count }, () => random.about(1));
  const sum = parts.reduce((total, part) => total + part, 0);
  return parts.map((part) => part / sum);
}
