/** A gateway of the quota's world. */
import { createLogger } from '@hindsight/shared/logger.ts';
import type { CountedEvent } from '@hindsight/shared/usage/fold.ts';
import type { QuotaLedger } from '@hindsight/shared/usage/ports.ts';
import { randomUUID } from 'node:crypto';
import { LaneKeeper } from '../jobs/keep-lane.ts';
import { LeasedQuota } from '../leased-quota.ts';
import type { Admission } from '../quota-account.ts';

/** The project of all requests. */
export const PROJECT = 'p';

const logger = createLogger({ name: 'test', level: 'silent' });

/** A clock that the world moves. */
export interface MovedClock {
  time: number;
  now(): number;
}

/** One counted request on disk. */
export interface Frame {
  readonly sequence: number;
  readonly day: string;
}

/** One life of a gateway: its memory, its disk, and what became of it. */
export class Gateway {
  readonly lane = randomUUID();
  readonly quota: LeasedQuota;
  readonly keeper: LaneKeeper;
  readonly unsent: Frame[] = [];
  readonly sent: Frame[] = [];
  /** The last number that was counted in each month. */
  readonly applied = new Map<string, number>();
  cutOff = false;
  givenUp = false;
  /** Its disk is there, and sends what is on it when it speaks. */
  hasDisk = true;
  ended = false;
  #sequence = 0;

  constructor(clock: MovedClock, ledger: QuotaLedger) {
    const { lane } = this;
    const onEnded = (): void => void (this.ended = true);
    this.keeper = new LaneKeeper({ registry: ledger, lane, clock, logger, onEnded });
    const maySpend = (now: number): boolean => this.keeper.maySpend(now);
    this.quota = new LeasedQuota({ ledger, lane, clock, maySpend, onFailure: () => undefined });
  }

  /** What is on disk of an admitted request that counts. */
  async ask(limit: number, counts: boolean): Promise<Frame | undefined> {
    let admission: Admission;
    try {
      admission = await this.quota.admit(PROJECT, limit);
    } catch {
      return undefined;
    }
    this.quota.done(admission, counts);
    if (!counts) return undefined;
    const frame = { sequence: this.#sequence++, day: admission.day };
    this.unsent.push(frame);
    return frame;
  }
}

/** A frame as the bus has it. */
export function toEvent(lane: string, { sequence, day }: Frame): CountedEvent {
  return { lane, sequence, entries: [{ project: PROJECT, day, endpoint: 'x', requests: 1, orders: 0 }] };
}
