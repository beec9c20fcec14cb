/** The clients' own record of requests and answers, from which follow the bounds of what may have been counted. */
import { monthOf, dayOf } from '@hindsight/usage/calendar.ts';

/** All months that a run may touch. */
export const MONTHS = ['2026-11', '2026-12'] as const;

/** One request, as far as its client can know. */
export interface Asked {
  readonly account: string;
  readonly units: number;
  /** Months in which its gateway may have admitted it. */
  readonly months: ReadonlySet<string>;
}

/** Bounds of what may be counted. */
export interface Bounds {
  readonly least: number;
  readonly most: number;
}

export class Ledger {
  readonly outcomes: Record<string, number> = {};
  readonly #answered: Asked[] = [];
  readonly #uncertain: Asked[] = [];
  /** Units answered that can only belong to one month. */
  readonly #sure = new Map<string, number>();

  note(outcome: string): void {
    this.outcomes[outcome] = (this.outcomes[outcome] ?? 0) + 1;
  }

  answered(asked: Asked): void {
    if (asked.units === 0) return;
    this.#answered.push(asked);
    const [month, other] = asked.months;
    if (other === undefined)
      this.#sure.set(`${asked.account}|${month}`, this.sure(asked.account, month!) + asked.units);
  }

  /** Its client got no answer: it was counted or not. */
  uncertain(asked: Asked): void {
    this.#uncertain.push(asked);
  }

  sure(account: string, month: string): number {
    return this.#sure.get(`${account}|${month}`) ?? 0;
  }

  ofMonth(account: string, month: string): Bounds {
    const may = ({ account: of, months }: Asked): boolean => of === account && months.has(month);
    const least = this.sure(account, month);
    const most = sum(this.#answered.filter(may)) + sum(this.#uncertain.filter(may));
    return { least, most };
  }

  ofAll(account: string): Bounds {
    const its = ({ account: of }: Asked): boolean => of === account;
    const least = sum(this.#answered.filter(its));
    return { least, most: least + sum(this.#uncertain.filter(its)) };
  }
}

/** The month of a moment, Unix milliseconds. */
export function monthAt(now: number): string {
  return monthOf(dayOf(now));
}

function sum(asked: readonly Asked[]): number {
  return asked.reduce((total, { units }) => total + units, 0);
}
