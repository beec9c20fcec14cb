/** What a gateway knows of a project's month: the units at hand, and who waits for one. */
import { dayOf, monthOf } from '@hindsight/shared/usage/calendar.ts';

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

/** A request waits no longer than this for the ledger. */
const ANSWER_MS = 1_000;

/** A project's month in this gateway. */
export class Account {
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
  /** Until when it is not asked again. */
  usedUpUntil = 0;
  awayUntil = 0;
  usedAt: number;
  inFlight = 0;
  readonly #waiting: Waiter[] = [];

  constructor(project: string, month: string, limit: number, now: number) {
    this.project = project;
    this.month = month;
    this.limit = limit;
    this.unclaimed = limit;
    this.usedAt = now;
  }

  /** How many requests wait for a unit. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** Nobody has a unit of it or wants one, and nothing is asked of the ledger. */
  get isQuiet(): boolean {
    return !this.busy && this.inFlight === 0 && this.waiting === 0;
  }

  /** Takes a unit that is at hand. */
  spend(today: string): Admission {
    this.left--;
    this.inFlight++;
    // Between the two a month may end: what was taken from a month counts in it.
    const day = monthOf(today) === this.month ? today : lastDayOf(this.month);
    return { day, left: this.unclaimed + this.left, account: this };
  }

  /** A unit when there is one. @throws {LedgerAway} when that takes too long */
  wait(): Promise<Admission> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting.splice(this.#waiting.indexOf(waiter), 1);
        reject(new LedgerAway('the ledger did not answer in time'));
      }, ANSWER_MS);
      const waiter: Waiter = {
        resolve: (admission) => (clearTimeout(timer), resolve(admission)),
        reject: (error) => (clearTimeout(timer), reject(error)),
      };
      this.#waiting.push(waiter);
    });
  }

  /** Hands units at hand to those who wait. */
  serve(today: string): void {
    while (this.left > 0) {
      const waiter = this.#waiting.shift();
      if (waiter === undefined) return;
      waiter.resolve(this.spend(today));
    }
  }

  /** Tells all who wait that there is nothing for them. */
  refuse(error: () => Error): void {
    for (const waiter of this.#waiting.splice(0)) waiter.reject(error());
  }
}

function lastDayOf(month: string): string {
  const [year, number] = month.split('-').map(Number);
  return dayOf(Date.UTC(year ?? 0, number ?? 0, 0));
}
