/** Gives units back that nobody wants here: others may be in want of them. */
import type { QuotaLedger } from '@hindsight/shared/usage/ports.ts';
import type { Account } from './quota-account.ts';

/** Units that nobody has asked for so long are given back; sooner where others may be in want of them. */
const IDLE_MS = 15_000;
const IDLE_WHEN_SCARCE_MS = 1_000;
const RETURNS_AT_ONCE = 50;
const MOST_RETURNS = 2_000;

interface ReturnsDeps {
  readonly ledger: Pick<QuotaLedger, 'release'>;
  /** This life of this gateway. */
  readonly producer: string;
  /** Those of which nothing is left are removed. */
  readonly accounts: Map<string, Account>;
  readonly onFailure: (error: unknown) => void;
  /** Told when an account is no longer busy. */
  readonly onDone: (account: Account) => void;
}

/** By which an account is found. */
export function accountKey({ month, project }: Pick<Account, 'month' | 'project'>): string {
  return `${month}|${project}`;
}

/** Units on their way back. */
export class UnitReturns {
  readonly #deps: ReturnsDeps;

  constructor(deps: ReturnsDeps) {
    this.#deps = deps;
  }

  /** Gives back what nobody has asked for lately. */
  async sweepIdle(now: number, month: string): Promise<void> {
    const idle: Account[] = [];
    for (const account of this.#deps.accounts.values()) {
      const scarce = account.month !== month || account.unclaimed * 10 < account.limit;
      if (now - account.usedAt < (scarce ? IDLE_WHEN_SCARCE_MS : IDLE_MS)) continue;
      idle.push(account);
      if (idle.length === MOST_RETURNS) break;
    }
    await this.#sweep(idle);
  }

  /** Gives back all that is not in use. */
  async sweepAll(): Promise<void> {
    await this.#sweep([...this.#deps.accounts.values()]);
  }

  async #sweep(accounts: readonly Account[]): Promise<void> {
    const free = accounts.filter(({ isQuiet }) => isQuiet);
    for (let at = 0; at < free.length; at += RETURNS_AT_ONCE) {
      const some = free.slice(at, at + RETURNS_AT_ONCE).filter(({ busy }) => !busy);
      await this.surrender(some);
      for (const account of some) {
        if (account.isQuiet && account.left === 0) this.#deps.accounts.delete(accountKey(account));
      }
    }
  }

  /** Gives back all that is at hand. Units whose return is not confirmed are ours no longer. */
  async surrender(accounts: readonly Account[]): Promise<void> {
    const { ledger, producer, onFailure, onDone } = this.#deps;
    const giving = accounts.filter(({ left }) => left > 0);
    const returns = giving.map((account) => {
      const { project, month, left: units, revision } = account;
      account.left = 0;
      account.busy = true;
      account.held = (account.held ?? units) - units;
      return { project, month, producer, units, revision };
    });
    if (returns.length === 0) return accounts.forEach(onDone);
    try {
      const done = await ledger.release(returns);
      const revisions = new Map(done.map((one) => [accountKey(one), one.revision]));
      for (const account of giving) {
        account.revision = revisions.get(accountKey(account)) ?? account.revision;
      }
    } catch (error) {
      onFailure(error);
    }
    for (const account of giving) {
      account.busy = false;
      onDone(account);
    }
  }
}
