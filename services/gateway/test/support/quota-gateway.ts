/** A gateway in the quota's test world. */
import type { CountedEvent } from '@hindsight/usage/fold.ts';
import type { QuotaLedger } from '@hindsight/usage/ports.ts';
import { randomUUID } from 'node:crypto';
import { LeasedQuota } from '../../src/quota/leased-quota.ts';
import type { Admission } from '../../src/quota/project-quota.ts';

/** The project of all requests. */
export const PROJECT = 'p';

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

/** One instance of a gateway: its memory, its disk, and what became of it. */
export class Gateway {
  readonly producer = randomUUID();
  readonly quota: LeasedQuota;
  readonly unsent: Frame[] = [];
  readonly sent: Frame[] = [];
  /** The last number that was counted in each month. */
  readonly applied = new Map<string, number>();
  cutOff = false;
  /** Its disk is there, although its machine may be gone. */
  hasDisk = true;
  #sequence = 0;

  constructor(clock: MovedClock, ledger: QuotaLedger) {
    const { producer } = this;
    this.quota = new LeasedQuota({ ledger, producer, clock, onFailure: () => undefined });
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
export function toEvent(producer: string, { sequence, day }: Frame): CountedEvent {
  return { producer, sequence, entries: [{ project: PROJECT, day, endpoint: 'x', requests: 1, orders: 0 }] };
}
