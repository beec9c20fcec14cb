/**
 * Gateways that lease units, with the product's state machine and sizes of a project's month, on simulated
 * time. The ledger answers at once; a request is over as soon as it is admitted.
 */
import { MonthUsedUp, ProjectQuota } from '@hindsight/gateway/service.ts';
import { MemoryLedger } from './ledger.ts';

const MONTH = '2026-11';
const DAY = '2026-11-21';
export type Outcome = 'admitted' | 'refused';

interface Held {
  readonly quota: ProjectQuota;
  readonly producer: string;
}

export class Fleet {
  readonly ledger = new MemoryLedger();
  /** By gateway and project: its view of the project's month. */
  readonly #held = new Map<string, Held>();
  /** Interval of the gateways' search for idle units: each second in the product. */
  readonly #lookEveryMs: number;
  #lookedAt = 0;

  constructor(lookEveryMs = 1_000) {
    this.#lookEveryMs = lookEveryMs;
  }

  /** A request of one unit. Times must not fall. */
  async ask(gateway: number, project: string, limit: number, now: number): Promise<Outcome> {
    this.pass(now);
    const held = this.#heldBy(gateway, project, limit, now);
    const { quota } = held;
    try {
      const admitted = quota.admit(1, now, DAY);
      if (quota.wantsLease) this.#lease(held, now);
      quota.done(admitted instanceof Promise ? await admitted : admitted, 1, DAY);
      return 'admitted';
    } catch (error) {
      if (error instanceof MonthUsedUp) return 'refused';
      throw error;
    }
  }

  /** Lets time pass: what lies idle is released. */
  pass(until: number): void {
    while (this.#lookedAt + this.#lookEveryMs <= until)
      this.#releaseIdle((this.#lookedAt += this.#lookEveryMs));
  }

  #heldBy(gateway: number, project: string, limit: number, now: number): Held {
    const name = `${gateway}|${project}`;
    let held = this.#held.get(name);
    if (held === undefined) {
      held = { quota: new ProjectQuota(project, MONTH, limit, now), producer: String(gateway) };
      this.#held.set(name, held);
    }
    return held;
  }

  #lease({ quota, producer }: Held, now: number): void {
    const lease = this.ledger.take({ producer, ...quota.beginLease(now) });
    quota.leased(lease, now, DAY);
    if (quota.mustRelease) throw new Error('a limit has changed, which none does here');
  }

  #releaseIdle(now: number): void {
    for (const [name, { quota, producer }] of this.#held) {
      if (!quota.isUnused(now, MONTH)) continue;
      if (quota.hasUnits) quota.released(this.ledger.release({ producer, ...quota.beginRelease('all') }));
      if (quota.isQuiet && !quota.hasUnits) this.#held.delete(name);
    }
  }
}
