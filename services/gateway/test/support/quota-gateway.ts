/** A gateway in the quota's test world. */
import type { CountedEvent } from '@hindsight/usage/fold.ts';
import { keyAccount } from '@hindsight/usage/key-account.ts';
import type { QuotaLedger } from '@hindsight/usage/ports.ts';
import { randomUUID } from 'node:crypto';
import { LeasedQuota } from '../../src/limits/quota/leased-quota.ts';
import type { Admission } from '../../src/limits/quota/project-quota.ts';

/** The project of all requests. */
export const PROJECT = 'p';
const KEY = 'k';
/** The account of the key that has a cap. */
export const ACCOUNT = keyAccount(PROJECT, KEY);

/** A clock that the world moves. */
export interface MovedClock {
  time: number;
  now(): number;
}

/** One counted request on disk, or a portion of one. */
export interface Frame {
  readonly sequence: number;
  readonly day: string;
  readonly units: number;
  /** It came with the key that has a cap. */
  readonly capped: boolean;
}

/** The limits of a request: the project's, and the key's if it came with the one that has a cap. */
export interface LimitsOf {
  readonly limit: number;
  readonly cap?: number | undefined;
}

/** A request that is counted in portions while it is under way. */
interface Stream {
  readonly admission: Admission;
  spent: number;
}

/** One instance of a gateway: its memory, its disk, and its fate. */
export class Gateway {
  readonly producer = randomUUID();
  readonly quota: LeasedQuota;
  readonly unsent: Frame[] = [];
  readonly sent: Frame[] = [];
  readonly #streams: Stream[] = [];
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

  /**
   * The frame on disk of an admitted request with that limit and that cost; undefined if refused, 0 units if
   * it does not count.
   */
  async ask(limits: LimitsOf, most: number, cost: number): Promise<Frame | undefined> {
    const admission = await this.#admit(limits, most);
    if (admission === undefined) return undefined;
    this.quota.done(admission, cost);
    return cost === 0 ? undefined : this.#record(admission, cost);
  }

  /** Begins a stream that may cost that much. */
  async begin(limits: LimitsOf, most: number): Promise<void> {
    const admission = await this.#admit(limits, most);
    if (admission !== undefined) this.#streams.push({ admission, spent: 0 });
  }

  /** A portion of a stream, within its limit. @returns its frame on disk */
  goOn(which: number, units: number): Frame | undefined {
    const stream = this.#streams[which % this.#streams.length];
    const cost = stream && Math.min(units, stream.admission.units - stream.spent);
    if (stream === undefined || !cost) return undefined;
    stream.spent += cost;
    return this.#record(stream.admission, cost);
  }

  /** Ends a stream: its unspent units are available again. */
  finish(which: number): void {
    const [stream] = this.#streams.splice(which % Math.max(this.#streams.length, 1), 1);
    if (stream !== undefined) this.quota.done(stream.admission, stream.spent);
  }

  async #admit({ limit, cap }: LimitsOf, most: number): Promise<Admission | undefined> {
    try {
      const key = cap === undefined ? undefined : { account: ACCOUNT, cap };
      return await this.quota.admit(PROJECT, limit, most, key);
    } catch {
      return undefined;
    }
  }

  #record({ day, ofKey }: Admission, units: number): Frame {
    const frame = { sequence: this.#sequence++, day, units, capped: ofKey !== undefined };
    this.unsent.push(frame);
    return frame;
  }
}

/** A frame as the bus has it. */
export function toEvent(producer: string, { sequence, day, units, capped }: Frame): CountedEvent {
  const entry = {
    project: PROJECT,
    day,
    endpoint: 'x',
    requests: units,
    orders: 0,
    ...(capped && { key: KEY, capped }),
  };
  return { producer, sequence, entries: [entry] };
}
