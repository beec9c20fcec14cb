/**
 * One gateway's knowledge of a project's month, as one state machine:
 *
 * idle ──beginLease──▶ leasing ──leased / leaseFailed──▶ idle
 *   idle ──beginRelease─▶ releasing ──released───────────▶ idle
 *
 * One change of the ledger at a time. In each state a request is served from available units. Without any, it
 * is refused while the month is known to be used up or the ledger to be unavailable, and else waits for the
 * next lease.
 */
import { isRecent } from '@hindsight/kernel/clock.ts';
import { Fault } from '@hindsight/kernel/errors.ts';
import { dayOf, monthOf } from '@hindsight/usage/calendar.ts';
import { shareOf } from '@hindsight/usage/lease.ts';
import type { Lease, LeaseRequest } from '@hindsight/usage/ports.ts';

export interface Admission {
  /** The UTC day of admission: what it counts on. */
  readonly day: string;
  /** The rest of the month after it, as far as this gateway knows. */
  readonly left: number;
  /** Units that are reserved for it: the most that it may cost. */
  readonly units: number;
  /** The limit under which it was admitted. */
  readonly limit: number;
  readonly quota: ProjectQuota;
  /** The same for the key's cap, if it has one. Both are of one month. */
  readonly ofKey?: Admission;
}

/** The month has too few units left for the request. */
export class MonthUsedUp extends Error {
  override readonly name = 'MonthUsedUp';
  /** Units that are left, as far as this gateway knows. */
  readonly left: number;

  constructor(left = 0) {
    super(`${left} units are left`);
    this.left = left;
  }
}

export class KeyCapUsedUp extends MonthUsedUp {}

/** There are too few available units, and the ledger does not answer whether there are more. */
export class LedgerUnavailable extends Fault {}

interface Waiter {
  readonly units: number;
  resolve(admission: Admission): void;
  reject(error: Error): void;
}

/** A request waits no longer than this for the ledger. */
const ANSWER_MS = 1_000;
/** Another gateway may release units: pause before the ledger is queried again about an empty month. */
const ASK_AGAIN_MS = 250;
/** After a failure no request waits for this long. */
const PAUSE_MS = 500;
/** Below this size a batch is not renewed before it is used up. */
const AHEAD_FROM = 4;
/**
 * Available units beyond twice the gateway's share, and beyond this number, are released: requests that cost
 * less than reserved leave them behind.
 */
const SURPLUS_FROM = 16;
/**
 * A batch should last about this long at the recent rate: longer than a store needs to elect another primary,
 * yet short, so that the gateways of a large installation do not hold much of a month that others need.
 */
const LASTS_MS = 60_000;
/** A batch is at most this many times the one before: one burst does not make a large batch. */
const GROWTH = 16;
/** Units that stay unused for this long are released; sooner when the month is over or nearly used up. */
const IDLE_MS = LASTS_MS;
const IDLE_WHEN_SCARCE_MS = 1_000;

export class ProjectQuota {
  readonly project: string;
  readonly month: string;
  #state: 'idle' | 'leasing' | 'releasing' = 'idle';
  #limit: number;
  /** The limit under which the present lease was requested. */
  #leaseLimit = 0;
  /** Units that requests can take, unless they are held back. */
  #available = 0;
  /** Some of the available units may have been leased under a higher limit: all are released, and none is spent. */
  #isHeldBack = false;
  /** Units outstanding here by the ledger, as far as known; undefined before the first lease. */
  #outstanding: number | undefined;
  /** The fencing token of the last lease. */
  #revision = 0;
  /** Units that no producer had leased, by the last answer of the ledger; undefined before it. */
  #unclaimed: number | undefined;
  /** Units whose release is not confirmed yet. */
  #releasing = 0;
  /** Size of the last batch, time of its request, and units reserved since and not returned. */
  #batch = 0;
  #leasedAt = 0;
  #reserved = 0;
  #usedUpAt = -Infinity;
  #failedAt = -Infinity;
  #usedAt: number;
  #inFlight = 0;
  readonly #waiters: Waiter[] = [];

  constructor(project: string, month: string, limit: number, now: number) {
    this.project = project;
    this.month = month;
    this.#limit = limit;
    this.#usedAt = now;
  }

  /** No change of the ledger is under way. */
  get isIdle(): boolean {
    return this.#state === 'idle';
  }

  /** No request waits for units, and no change of the ledger is under way. Requests may be: a stream takes its time. */
  get isResting(): boolean {
    return this.isIdle && this.#waiters.length === 0;
  }

  /** True if it is resting, and no request holds units of it. */
  get isQuiet(): boolean {
    return this.isResting && this.#inFlight === 0;
  }

  get hasUnits(): boolean {
    return this.#available > 0;
  }

  /** Units that are held back are to be released now. */
  get mustRelease(): boolean {
    return this.isIdle && this.#isHeldBack;
  }

  /** This gateway has far more than its share, which other gateways may need. */
  get hasSurplus(): boolean {
    return this.isResting && this.#available > 2 * this.#fairShare() + SURPLUS_FROM;
  }

  /** Requests wait for a lease, and none is under way. */
  get needsLease(): boolean {
    return this.isIdle && this.#waiters.length > 0;
  }

  /** A lease is due now; for large batches, ahead of need. */
  get wantsLease(): boolean {
    if (this.needsLease) return true;
    return this.isIdle && this.#batch >= AHEAD_FROM && this.#available < this.#batch / 2;
  }

  /** The rest of the month, as far as this gateway knows; undefined before the first lease. */
  get left(): number | undefined {
    return this.#unclaimed === undefined ? undefined : this.#unclaimed + this.#releasing + this.#available;
  }

  /** True if its units lie idle. */
  isUnused(now: number, currentMonth: string): boolean {
    const scarce = this.month !== currentMonth || (this.#unclaimed ?? this.#limit) * 10 < this.#limit;
    return !isRecent(this.#usedAt, scarce ? IDLE_WHEN_SCARCE_MS : IDLE_MS, now);
  }

  /** A higher limit opens a month that was used up; under a lower one no unit is spent that was leased before. */
  setLimit(limit: number): void {
    if (limit === this.#limit) return;
    if (limit < this.#limit) this.#holdBack();
    this.#limit = limit;
    this.#usedUpAt = -Infinity;
  }

  #holdBack(): void {
    this.#isHeldBack = this.#available > 0;
  }

  /**
   * Reserves the units, at once if they are available; else with the next lease, if that does not take too
   * long. A request that costs less may overtake one that waits for more: it waits for no lease.
   * @throws {MonthUsedUp} {LedgerUnavailable} synchronously or asynchronously
   */
  admit(units: number, now: number, today: string): Admission | Promise<Admission> {
    this.#usedAt = now;
    if (this.#available >= units && !this.#isHeldBack) return this.#reserve(units, today);
    if (isRecent(this.#usedUpAt, ASK_AGAIN_MS, now) && !this.#mayFit(units)) throw new MonthUsedUp(this.left);
    if (isRecent(this.#failedAt, PAUSE_MS, now))
      throw new LedgerUnavailable(`the ledger failed less than ${PAUSE_MS} ms ago`);
    return this.#wait(units);
  }

  /** Ends a request: `spent` of its reserved units are spent, the others available again. */
  done({ units, limit }: Admission, spent: number, today: string): void {
    this.#inFlight--;
    if (spent >= units) return;
    this.#available += units - spent;
    this.#reserved = Math.max(this.#reserved - (units - spent), 0);
    if (limit > this.#limit) this.#holdBack();
    this.#serve(today);
  }

  beginLease(now: number): Omit<LeaseRequest, 'producer' | 'taken'> {
    this.#state = 'leasing';
    this.#leaseLimit = this.#limit;
    const { project, month } = this;
    const waiting = this.#waiters.map(({ units }) => units);
    const most = this.#useful(waiting, now);
    this.#leasedAt = now;
    this.#reserved = 0;
    return { project, month, limit: this.#limit, waiting, atHand: this.#available, most };
  }

  /**
   * The units that requests are likely to need soon; for the first of a month, those of the waiting requests.
   */
  #useful(waiting: readonly number[], now: number): number {
    if (this.#outstanding === undefined) return 0;
    const asked = waiting.reduce((sum, units) => sum + units, this.#reserved);
    const lasting = Math.ceil((asked * LASTS_MS) / Math.max(now - this.#leasedAt, 1));
    return Math.min(Math.max(lasting - this.#available, 0), GROWTH * Math.max(this.#batch, 1));
  }

  leased({ units, outstanding, revision, unclaimed }: Lease, now: number, today: string): void {
    this.#state = 'idle';
    // Units of a lost answer, or of a release that did not take place.
    const found = this.#outstanding === undefined ? 0 : Math.max(outstanding - this.#outstanding, 0);
    this.#outstanding = outstanding + units;
    this.#revision = revision;
    this.#unclaimed = unclaimed;
    this.#batch = units;
    this.#available += units + found;
    if (this.#limit < this.#leaseLimit || (found > 0 && unclaimed === 0 && units === 0)) this.#holdBack();
    if (this.#isHeldBack) return;
    this.#serve(today);
    const refused = this.#waiters.filter((waiter) => !this.#mayFit(waiter.units));
    if (refused.length > 0 || (this.#available === 0 && units + found === 0)) this.#usedUpAt = now;
    this.#refuse(refused, () => new MonthUsedUp(this.left));
  }

  /** The lease may have succeeded; the next response will tell. */
  leaseFailed(cause: unknown, now: number): void {
    this.#state = 'idle';
    this.#failedAt = now;
    this.#refuse([...this.#waiters], () => new LedgerUnavailable('the ledger failed', { cause }));
  }

  /**
   * Starts releasing all or the surplus units. They are no longer this gateway's even if the ledger never
   * confirms.
   */
  beginRelease(what: 'all' | 'surplus'): { project: string; month: string; units: number; revision: number } {
    const units = this.#available - (what === 'all' ? 0 : this.#fairShare());
    this.#state = 'releasing';
    this.#releasing = units;
    this.#available -= units;
    this.#isHeldBack = false;
    this.#outstanding = (this.#outstanding ?? units) - units;
    return { project: this.project, month: this.month, units, revision: this.#revision };
  }

  /** @param revision undefined if the release did not take place, or its answer was lost */
  released(revision: number | undefined): void {
    this.#state = 'idle';
    if (revision !== undefined) {
      this.#revision = revision;
      this.#unclaimed = (this.#unclaimed ?? 0) + this.#releasing;
    }
    this.#releasing = 0;
  }

  #reserve(units: number, today: string): Admission {
    this.#available -= units;
    this.#reserved += units;
    this.#inFlight++;
    return {
      day: dayWithin(this.month, today),
      left: this.left ?? 0,
      units,
      limit: this.#limit,
      quota: this,
    };
  }

  /** True if the month has these units left, as far as this gateway knows. */
  #mayFit(units: number): boolean {
    return units <= (this.left ?? Infinity);
  }

  #fairShare(): number {
    return shareOf((this.#unclaimed ?? 0) + this.#available);
  }

  #wait(units: number): Promise<Admission> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiters.splice(this.#waiters.indexOf(waiter), 1);
        reject(new LedgerUnavailable('the ledger did not answer in time'));
      }, ANSWER_MS);
      const waiter: Waiter = {
        units,
        resolve: (admission) => (clearTimeout(timer), resolve(admission)),
        reject: (error) => (clearTimeout(timer), reject(error)),
      };
      this.#waiters.push(waiter);
    });
  }

  /** Serves the waiting requests for which there are units, in order. */
  #serve(today: string): void {
    if (this.#isHeldBack) return;
    for (let at = 0; at < this.#waiters.length && this.#available > 0;) {
      const waiter = this.#waiters[at]!;
      if (waiter.units > this.#available) at++;
      else this.#waiters.splice(at, 1)[0]!.resolve(this.#reserve(waiter.units, today));
    }
  }

  #refuse(refused: readonly Waiter[], error: () => Error): void {
    for (const waiter of refused) {
      this.#waiters.splice(this.#waiters.indexOf(waiter), 1);
      waiter.reject(error());
    }
  }
}

/** Units of a month count in it, although between lease and admission it may end, or the clock be set back before it. */
function dayWithin(month: string, today: string): string {
  if (monthOf(today) === month) return today;
  if (today < month) return `${month}-01`;
  const [year, number] = month.split('-').map(Number);
  return dayOf(Date.UTC(year ?? 0, number ?? 0, 0));
}
