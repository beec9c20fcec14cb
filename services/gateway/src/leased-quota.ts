/**
 * The monthly limit, exact over all gateways: units are taken from the ledger in blocks, and requests are admitted from
 * the block at hand. A unit that is not known to be ours is never spent; a unit that may be ours is found again with
 * the next lease, or when the lane is closed.
 */
import type { Clock } from '@hindsight/shared/clock.ts';
import { dayOf, monthOf } from '@hindsight/shared/usage/calendar.ts';
import type { Lease, QuotaLedger } from '@hindsight/shared/usage/ports.ts';
import { Account, LedgerAway, MonthUsedUp, type Admission } from './quota-account.ts';
import { accountKey, UnitReturns } from './quota-returns.ts';

/** Another gateway may give units back: an empty month is looked at again so often. */
const ASK_AGAIN_MS = 250;
/** After a failure nobody waits for so long. */
const PAUSE_MS = 500;
const SWEEP_MS = 1_000;
const DAY_MS = 86_400_000;
/** Below this size a block is not renewed before it is used up. */
const AHEAD_FROM = 16;

interface QuotaDeps {
  readonly ledger: QuotaLedger;
  /** This life of this gateway. */
  readonly producer: string;
  readonly clock: Clock;
  /** Told of failures; the requests hear of them too. */
  readonly onFailure: (error: unknown) => void;
}

/** The gateway's part of the monthly quota. */
export class LeasedQuota {
  readonly #deps: QuotaDeps;
  readonly #accounts = new Map<string, Account>();
  readonly #returns: UnitReturns;
  readonly #sweeper: NodeJS.Timeout;
  #day = { name: '', from: 0, until: 0 };

  constructor(deps: QuotaDeps) {
    this.#deps = deps;
    const onDone = (account: Account): void => this.#goOn(account);
    this.#returns = new UnitReturns({ ...deps, accounts: this.#accounts, onDone });
    this.#sweeper = setInterval(() => {
      const now = deps.clock.now();
      void this.#returns.sweepIdle(now, monthOf(this.#today(now)));
    }, SWEEP_MS);
    this.#sweeper.unref();
  }

  /**
   * Admits a request, at once where a unit is at hand.
   * @throws {MonthUsedUp} {LedgerAway} in either way of answering
   */
  admit(project: string, limit: number): Admission | Promise<Admission> {
    const now = this.#deps.clock.now();
    const account = this.#accountOf(project, limit, now);
    account.usedAt = now;
    if (limit !== account.limit) this.#changeLimit(account, limit);
    if (account.left > 0) {
      if (account.left < account.block / 2 && account.block >= AHEAD_FROM && !account.busy)
        this.#take(account);
      return account.spend(this.#day.name);
    }
    if (now < account.usedUpUntil) throw new MonthUsedUp();
    if (now < account.awayUntil) throw new LedgerAway();
    const admission = account.wait();
    if (!account.busy) this.#take(account);
    return admission;
  }

  /** The request is over: its unit is spent, or free again. */
  done({ account }: Admission, counted: boolean): void {
    account.inFlight--;
    if (counted) return;
    account.left++;
    account.serve(this.#day.name);
  }

  /** Gives back what is not spent. */
  async close(): Promise<void> {
    clearInterval(this.#sweeper);
    await this.#returns.sweepAll();
  }

  #accountOf(project: string, limit: number, now: number): Account {
    const month = monthOf(this.#today(now));
    const key = accountKey({ month, project });
    let account = this.#accounts.get(key);
    if (account === undefined) {
      account = new Account(project, month, limit, now);
      this.#accounts.set(key, account);
    }
    return account;
  }

  #today(now: number): string {
    if (now < this.#day.from || now >= this.#day.until) {
      const from = now - (now % DAY_MS);
      this.#day = { name: dayOf(now), from, until: from + DAY_MS };
    }
    return this.#day.name;
  }

  #take(account: Account): void {
    const { project, month, limit } = account;
    const request = { project, month, limit, producer: this.#deps.producer, atLeast: account.waiting };
    account.busy = true;
    this.#deps.ledger.take(request).then(
      (lease) => this.#taken(account, lease, limit),
      (error: unknown) => this.#failed(account, error),
    );
  }

  #taken(account: Account, lease: Lease, limit: number): void {
    account.busy = false;
    // Of an answer that was lost, or of a return that did not take place.
    const found = account.held === undefined ? 0 : Math.max(lease.outstanding - account.held, 0);
    account.held = lease.outstanding + lease.units;
    account.revision = lease.revision;
    account.unclaimed = lease.unclaimed;
    account.block = lease.units;
    account.left += lease.units + found;
    if (account.limit < limit || (found > 0 && lease.unclaimed === 0 && lease.units === 0)) {
      // Taken under a limit that holds no longer.
      return void this.#returns.surrender([account]);
    }
    account.serve(this.#day.name);
    if (account.left === 0 && lease.units + found === 0) {
      account.usedUpUntil = this.#deps.clock.now() + ASK_AGAIN_MS;
      account.refuse(() => new MonthUsedUp());
    }
    this.#goOn(account);
  }

  #failed(account: Account, error: unknown): void {
    account.busy = false;
    account.awayUntil = this.#deps.clock.now() + PAUSE_MS;
    this.#deps.onFailure(error);
    account.refuse(() => new LedgerAway('the ledger failed', { cause: error }));
  }

  #goOn(account: Account): void {
    if (account.waiting > 0 && !account.busy) this.#take(account);
  }

  /** A higher limit opens a month that was used up; under a lower one nothing is spent that was taken under the old. */
  #changeLimit(account: Account, limit: number): void {
    const lower = limit < account.limit;
    account.limit = limit;
    account.usedUpUntil = 0;
    if (lower && !account.busy) void this.#returns.surrender([account]);
  }
}
