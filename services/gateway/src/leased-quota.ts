/**
 * The monthly limit, exact over all gateways: units are taken from the ledger in blocks, and requests are admitted from
 * the block at hand. A unit that is not known to be ours is never spent; a unit that may be ours is found again with
 * the next lease, or when the lane is closed.
 */
import type { Clock } from '@hindsight/shared/clock.ts';
import { dayOf, monthOf } from '@hindsight/shared/usage/calendar.ts';
import type { Lease, QuotaLedger } from '@hindsight/shared/usage/ports.ts';

/** One admitted request. */
export interface Admission {
  /** The UTC day of admission: what it counts on. */
  readonly day: string;
  /** What the month had left after it, as far as this gateway knows. */
  readonly left: number;
  readonly account: Account;
}

/** The month is used up. */
export class MonthUsedUp extends Error {
  override readonly name = 'MonthUsedUp';
}

/** There is no unit at hand, and the ledger does not say whether there are any. */
export class LedgerAway extends Error {
  override readonly name = 'LedgerAway';
}

interface Waiter {
  resolve(admission: Admission): void;
  reject(error: Error): void;
}

/** A project's month in this gateway. */
class Account {
  readonly project: string;
  readonly month: string;
  limit: number;
  /** Units at hand. */
  left = 0;
  /** What we take the ledger to say that we hold; undefined before the first lease. */
  held: number | undefined;
  revision = 0;
  unclaimed: number;
  block = 0;
  /** A change of the ledger is under way: one at a time. */
  busy = false;
  readonly waiting: Waiter[] = [];
  /** Until when it is not asked again. */
  usedUpUntil = 0;
  awayUntil = 0;
  usedAt: number;
  inFlight = 0;

  constructor(project: string, month: string, limit: number, now: number) {
    this.project = project;
    this.month = month;
    this.limit = limit;
    this.unclaimed = limit;
    this.usedAt = now;
  }
}

/** Times in milliseconds. */
const TIMES = {
  /** A request waits no longer than this for the ledger. */
  answer: 1_000,
  /** Another gateway may give units back: an empty month is looked at again so often. */
  askAgain: 250,
  /** After a failure nobody waits for so long. */
  pause: 500,
  sweep: 1_000,
  /** Units that nobody has asked for so long are given back; sooner where others may be in want of them. */
  idle: 15_000,
  idleWhenScarce: 1_000,
};
/** Below this size a block is not renewed before it is used up. */
const AHEAD_FROM = 16;
const RETURNS_AT_ONCE = 50;
const MOST_RETURNS = 2_000;

interface QuotaDeps {
  readonly ledger: QuotaLedger;
  /** This life of this gateway. */
  readonly lane: string;
  readonly clock: Clock;
  /** Whether what is at hand is still ours, as far as others know. */
  readonly maySpend: (now: number) => boolean;
  /** Told of failures; the requests hear of them too. */
  readonly onFailure: (error: unknown) => void;
}

/** The gateway's part of the monthly quota. */
export class LeasedQuota {
  readonly #deps: QuotaDeps;
  readonly #accounts = new Map<string, Account>();
  readonly #sweeper: NodeJS.Timeout;
  #day = { name: '', from: 0, until: 0 };

  constructor(deps: QuotaDeps) {
    this.#deps = deps;
    this.#sweeper = setInterval(() => void this.#sweep(this.#idle()), TIMES.sweep);
    this.#sweeper.unref();
  }

  /**
   * Admits a request, at once where a unit is at hand.
   * @throws {MonthUsedUp} {LedgerAway} in either way of answering
   */
  admit(project: string, limit: number): Admission | Promise<Admission> {
    const now = this.#deps.clock.now();
    if (!this.#deps.maySpend(now)) throw new LedgerAway('the lane was not renewed in time');
    const account = this.#accountOf(project, limit, now);
    account.usedAt = now;
    if (limit !== account.limit) this.#changeLimit(account, limit);
    if (account.left > 0) {
      if (account.left < account.block / 2 && account.block >= AHEAD_FROM && !account.busy)
        this.#take(account);
      return this.#spend(account);
    }
    if (now < account.usedUpUntil) throw new MonthUsedUp();
    if (now < account.awayUntil) throw new LedgerAway();
    return this.#wait(account);
  }

  /** The request is over: its unit is spent, or free again. */
  done({ account }: Admission, counted: boolean): void {
    account.inFlight--;
    if (counted) return;
    account.left++;
    this.#serve(account);
  }

  /** Gives back what is not spent. */
  async close(): Promise<void> {
    clearInterval(this.#sweeper);
    await this.#sweep([...this.#accounts.values()]);
  }

  #accountOf(project: string, limit: number, now: number): Account {
    const month = monthOf(this.#today(now));
    const key = `${month}|${project}`;
    let account = this.#accounts.get(key);
    if (account === undefined) {
      account = new Account(project, month, limit, now);
      this.#accounts.set(key, account);
    }
    return account;
  }

  #today(now: number): string {
    if (now < this.#day.from || now >= this.#day.until) {
      const from = now - (now % 86_400_000);
      this.#day = { name: dayOf(now), from, until: from + 86_400_000 };
    }
    return this.#day.name;
  }

  #spend(account: Account): Admission {
    account.left--;
    account.inFlight++;
    // Between the two a month may end: what was taken from a month counts in it.
    const today = this.#day.name;
    const day = monthOf(today) === account.month ? today : lastDayOf(account.month);
    return { day, left: account.unclaimed + account.left, account };
  }

  #wait(account: Account): Promise<Admission> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        account.waiting.splice(account.waiting.indexOf(waiter), 1);
        reject(new LedgerAway('the ledger did not answer in time'));
      }, TIMES.answer);
      const waiter: Waiter = {
        resolve: (admission) => (clearTimeout(timer), resolve(admission)),
        reject: (error) => (clearTimeout(timer), reject(error)),
      };
      account.waiting.push(waiter);
      if (!account.busy) this.#take(account);
    });
  }

  /** Hands units at hand to those who wait. */
  #serve(account: Account): void {
    while (account.left > 0) {
      const waiter = account.waiting.shift();
      if (waiter === undefined) return;
      waiter.resolve(this.#spend(account));
    }
  }

  #refuse(account: Account, error: () => Error): void {
    for (const waiter of account.waiting.splice(0)) waiter.reject(error());
  }

  #take(account: Account): void {
    const { project, month, limit } = account;
    const request = { project, month, limit, lane: this.#deps.lane, atLeast: account.waiting.length };
    account.busy = true;
    this.#deps.ledger.take(request).then(
      (lease) => this.#taken(account, lease, limit),
      (error: unknown) => this.#failed(account, error),
    );
  }

  #taken(account: Account, lease: Lease, limit: number): void {
    account.busy = false;
    // Of an answer that was lost, or of a return that did not take place.
    const found = account.held === undefined ? 0 : Math.max(lease.heldBefore - account.held, 0);
    account.held = lease.heldBefore + lease.units;
    account.revision = lease.revision;
    account.unclaimed = lease.unclaimed;
    account.block = lease.units;
    account.left += lease.units + found;
    if (account.limit < limit || (found > 0 && lease.unclaimed === 0 && lease.units === 0)) {
      // Taken under a limit that holds no longer.
      return void this.#surrender([account]);
    }
    this.#serve(account);
    if (account.left === 0 && lease.units + found === 0) {
      account.usedUpUntil = this.#deps.clock.now() + TIMES.askAgain;
      this.#refuse(account, () => new MonthUsedUp());
    }
    this.#goOn(account);
  }

  #failed(account: Account, error: unknown): void {
    account.busy = false;
    account.awayUntil = this.#deps.clock.now() + TIMES.pause;
    this.#deps.onFailure(error);
    this.#refuse(account, () => new LedgerAway('the ledger failed', { cause: error }));
  }

  #goOn(account: Account): void {
    if (account.waiting.length > 0 && !account.busy) this.#take(account);
  }

  /** A higher limit opens a month that was used up; under a lower one nothing is spent that was taken under the old. */
  #changeLimit(account: Account, limit: number): void {
    const lower = limit < account.limit;
    account.limit = limit;
    account.usedUpUntil = 0;
    if (lower && !account.busy) void this.#surrender([account]);
  }

  #idle(): Account[] {
    const now = this.#deps.clock.now();
    const month = monthOf(this.#today(now));
    const idle: Account[] = [];
    for (const account of this.#accounts.values()) {
      const scarce = account.month !== month || account.unclaimed * 10 < account.limit;
      if (now - account.usedAt < (scarce ? TIMES.idleWhenScarce : TIMES.idle)) continue;
      idle.push(account);
      if (idle.length === MOST_RETURNS) break;
    }
    return idle;
  }

  async #sweep(accounts: readonly Account[]): Promise<void> {
    const free = accounts.filter(
      ({ busy, inFlight, waiting }) => !busy && inFlight === 0 && waiting.length === 0,
    );
    for (let at = 0; at < free.length; at += RETURNS_AT_ONCE) {
      const some = free.slice(at, at + RETURNS_AT_ONCE).filter(({ busy }) => !busy);
      await this.#surrender(some);
      for (const account of some) {
        const { busy, inFlight, waiting, left, month, project } = account;
        if (!busy && inFlight === 0 && waiting.length === 0 && left === 0) {
          this.#accounts.delete(`${month}|${project}`);
        }
      }
    }
  }

  /** Gives back all that is at hand. Units whose return is not confirmed are ours no longer. */
  async #surrender(accounts: readonly Account[]): Promise<void> {
    const giving = accounts.filter(({ left }) => left > 0);
    const returns = giving.map((account) => {
      const { project, month, left: units, revision } = account;
      account.left = 0;
      account.busy = true;
      account.held = (account.held ?? units) - units;
      return { project, month, lane: this.#deps.lane, units, revision };
    });
    if (returns.length === 0) return accounts.forEach((account) => this.#goOn(account));
    try {
      const done = await this.#deps.ledger.giveBack(returns);
      const revisions = new Map(done.map((one) => [`${one.month}|${one.project}`, one.revision]));
      for (const account of giving) {
        account.revision = revisions.get(`${account.month}|${account.project}`) ?? account.revision;
      }
    } catch (error) {
      this.#deps.onFailure(error);
    }
    for (const account of giving) {
      account.busy = false;
      this.#goOn(account);
    }
  }
}

function lastDayOf(month: string): string {
  const [year, number] = month.split('-').map(Number);
  return dayOf(Date.UTC(year ?? 0, number ?? 0, 0));
}
