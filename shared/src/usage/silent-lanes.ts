/** Lanes that stay silent are given up by themselves: a gateway that comes back does so long before. */
import type { ClosedLane, LaneRegistry } from './ports.ts';

const MOST_LANES = 1_000;

/** A lane that was given up at a look. */
export interface SilentLane extends ClosedLane {
  readonly lane: string;
  /** Since it was renewed last. */
  readonly silentMs: number;
}

/**
 * Looks at lanes now and then. One is given up that was silent for so long at two looks, one after the other: where
 * nobody could be heard, because the store was away or the whole machine slept, all have a word before the second.
 */
export class SilentLanes {
  readonly #usage: Pick<LaneRegistry, 'openLanes' | 'giveUpLane'>;
  readonly #afterMs: number;
  #before: ReadonlySet<string> = new Set();

  /** @param afterMs longer than `LANE_DEAD_MS` */
  constructor(usage: Pick<LaneRegistry, 'openLanes' | 'giveUpLane'>, afterMs: number) {
    this.#usage = usage;
    this.#afterMs = afterMs;
  }

  /** The next look is the first again. */
  forget(): void {
    this.#before = new Set();
  }

  /**
   * One look; several processes may do so at once.
   * @param onGivenUp told of each lane, with the units that came back
   * @throws {StoreUnavailable} the next look is the first again
   */
  async look(onGivenUp: (lane: SilentLane) => void): Promise<void> {
    const before = this.#before;
    this.forget();
    const lanes = await this.#usage.openLanes(MOST_LANES);
    const silent = lanes.filter(({ silentMs }) => silentMs >= this.#afterMs);
    for (const { lane, silentMs } of silent) {
      if (!before.has(lane)) continue;
      const given = await this.#usage.giveUpLane(lane, this.#afterMs);
      if (given.outcome !== 'given up') continue;
      const { records, units } = given;
      onGivenUp({ lane, silentMs, records, units });
    }
    this.#before = new Set(silent.map(({ lane }) => lane));
  }
}
