/**
 * The monthly limit, exact over all gateways: units are leased from the ledger in batches, and requests are
 * admitted from the batch. A unit that is not surely leased is never spent; a unit that may be leased is
 * found again with the next lease, or when this producer is closed.
 */
import { DAY_MS } from '@hindsight/kernel/durations.ts';
import type { Clock } from '@hindsight/kernel/clock.ts';
import { settledWithin } from '@hindsight/kernel/deadline.ts';
import { partsOf } from '@hindsight/kernel/parts.ts';
import { recordKey, dayOf, monthOf } from '@hindsight/usage/calendar.ts';
import type { MonthCounters } from '@hindsight/usage/counters/ports.ts';
import type { Lease, QuotaLedger } from '@hindsight/usage/ports.ts';
import { KeyCapUsedUp, MonthUsedUp, ProjectQuota, type Admission } from './project-quota.ts';

const RELEASE_EVERY_MS = 1_000;
/** Most months of projects whose units one round releases, and most in one change of the ledger. */
const MAX_RELEASED = 2_000;
const RELEASED_AT_ONCE = 50;
/** Longest wait for the last round. */
const RELEASE_WITHIN_MS = 500;

interface Deps {
  readonly ledger: QuotaLedger;
  /** Sizes the first lease of a month, which then needs no read of its record; the ledger checks it like any other. */
  readonly counters?: Pick<MonthCounters, 'takenAtHand'>;
  /** This instance of the gateway. */
  readonly producer: string;
  readonly clock: Clock;
  /** Called with failures of the ledger; the requests see them too. */
  readonly onFailure: (error: unknown) => void;
}

export interface CappedKey {
  /** The record of the ledger that its units are leased from. */
  readonly account: string;
  readonly cap: number;
}

/** The gateway's part of the monthly quota. */
export class LeasedQuota {
  readonly #deps: Deps;
  readonly #quotas = new Map<string, ProjectQuota>();
  readonly #timer: NodeJS.Timeout;
  readonly #leasing = new Set<Promise<void>>();
  #day = { name: '', from: 0, until: 0 };

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#timer = setInterval(() => void this.#releaseIdle(), RELEASE_EVERY_MS).unref();
  }

  /**
   * Admits a request, at once if its units are available.
   * @param units the most that it may cost
   * @param key if it has a cap: the request needs units of both
   * @throws {MonthUsedUp} {KeyCapUsedUp} {LedgerUnavailable} synchronously or asynchronously
   */
  admit(project: string, limit: number, units = 1, key?: CappedKey): Admission | Promise<Admission> {
    return key === undefined
      ? this.#admit(project, limit, units)
      : this.#admitBoth(project, limit, units, key);
  }

  async #admitBoth(
    project: string,
    limit: number,
    units: number,
    { account, cap }: CappedKey,
  ): Promise<Admission> {
    for (;;) {
      const ofKey = await this.#admitKey(account, cap, units);
      let admission: Admission;
      try {
        admission = await this.#admit(project, limit, units);
      } catch (error) {
        this.done(ofKey, 0);
        throw error;
      }
      if (ofKey.quota.month === admission.quota.month) return { ...admission, ofKey };
      // A month has ended between the two: a single record must count in one month.
      this.done(ofKey, 0);
      this.done(admission, 0);
    }
  }

  async #admitKey(account: string, cap: number, units: number): Promise<Admission> {
    try {
      return await this.#admit(account, cap, units);
    } catch (error) {
      throw error instanceof MonthUsedUp ? new KeyCapUsedUp(error.left) : error;
    }
  }

  #admit(project: string, limit: number, units: number): Admission | Promise<Admission> {
    const now = this.#deps.clock.now();
    const today = this.#today(now);
    const key = recordKey({ project, month: monthOf(today) });
    let quota = this.#quotas.get(key);
    if (quota === undefined) {
      quota = new ProjectQuota(project, monthOf(today), limit, now);
      this.#quotas.set(key, quota);
    }
    quota.setLimit(limit);
    if (quota.mustRelease) void this.#release([quota]);
    const admission = quota.admit(units, now, today);
    if (quota.wantsLease) this.#lease(quota);
    return admission;
  }

  /** Ends a request: `spent` of its units are spent, the others available again. */
  done(admission: Admission, spent: number): void {
    const { quota, ofKey } = admission;
    if (ofKey !== undefined) this.done(ofKey, spent);
    quota.done(admission, spent, this.#today(this.#deps.clock.now()));
    if (quota.mustRelease) void this.#release([quota]);
    else if (spent < admission.units && quota.hasSurplus) void this.#release([quota], 'surplus');
  }

  /** The rest of a project's month, as far as this gateway knows; undefined before its first lease. */
  leftOf(project: string): number | undefined {
    return this.#quotas.get(recordKey({ project, month: monthOf(this.#today(this.#deps.clock.now())) }))
      ?.left;
  }

  /** Releases what is not spent, also of leases under way: once the producer has ended, their units are never returned. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all(this.#leasing);
    // The end of this producer returns what a late ledger does not confirm.
    await settledWithin(this.#releaseResting([...this.#quotas.values()]), RELEASE_WITHIN_MS);
  }

  #today(now: number): string {
    if (now < this.#day.from || now >= this.#day.until) {
      const from = now - (now % DAY_MS);
      this.#day = { name: dayOf(now), from, until: from + DAY_MS };
    }
    return this.#day.name;
  }

  #lease(quota: ProjectQuota): void {
    const { clock, onFailure } = this.#deps;
    const leasing = this.#take(quota).then(
      (lease) => {
        const now = clock.now();
        quota.leased(lease, now, this.#today(now));
        this.#goOn(quota);
      },
      (error: unknown) => {
        onFailure(error);
        quota.leaseFailed(error, clock.now());
      },
    );
    this.#leasing.add(leasing);
    void leasing.then(() => this.#leasing.delete(leasing));
  }

  async #take(quota: ProjectQuota): Promise<Lease> {
    const { ledger, counters, producer, clock } = this.#deps;
    const isFirst = quota.left === undefined;
    const request = { producer, ...quota.beginLease(clock.now()) };
    if (!isFirst) return ledger.take(request);
    return ledger.take({ ...request, taken: await counters?.takenAtHand(quota.project, quota.month) });
  }

  /** The limit may have been lowered, or requests have begun to wait, while the ledger was changed. */
  #goOn(quota: ProjectQuota): void {
    if (quota.mustRelease) void this.#release([quota]);
    else if (quota.needsLease) this.#lease(quota);
  }

  /** Releases the units of idle quotas. Units are treated as released even without confirmation. */
  async #release(quotas: readonly ProjectQuota[], what: 'all' | 'surplus' = 'all'): Promise<void> {
    const { ledger, producer, onFailure } = this.#deps;
    const releasing = quotas.filter(({ hasUnits }) => hasUnits);
    const releases = releasing.map((quota) => ({ producer, ...quota.beginRelease(what) }));
    const revisions = new Map<string, number>();
    try {
      if (releases.length > 0)
        for (const record of await ledger.release(releases))
          revisions.set(recordKey(record), record.revision);
    } catch (error) {
      onFailure(error);
    }
    for (const quota of releasing) quota.released(revisions.get(recordKey(quota)));
    for (const quota of quotas) this.#goOn(quota);
  }

  /** Idle units are released: other gateways may need them. */
  async #releaseIdle(): Promise<void> {
    const now = this.#deps.clock.now();
    const month = monthOf(this.#today(now));
    const unused: ProjectQuota[] = [];
    for (const quota of this.#quotas.values()) {
      if (unused.length === MAX_RELEASED) break;
      if (quota.isUnused(now, month)) unused.push(quota);
    }
    await this.#releaseResting(unused);
  }

  async #releaseResting(quotas: readonly ProjectQuota[]): Promise<void> {
    const resting = quotas.filter(({ isResting }) => isResting);
    for (const part of partsOf(resting, RELEASED_AT_ONCE)) {
      const some = part.filter(({ isIdle }) => isIdle);
      await this.#release(some);
      for (const quota of some) {
        if (quota.isQuiet && !quota.hasUnits) this.#quotas.delete(recordKey(quota));
      }
    }
  }
}
