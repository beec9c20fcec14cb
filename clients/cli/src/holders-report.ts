import { formatUnits, type HolderFacts, type HolderTotals } from '@hindsight/client';
import { note, type Context } from './context.ts';

/** Rows of an earlier run. */
export interface Done {
  readonly last: string | undefined;
  readonly holders: number;
  readonly errors: number;
  readonly sum: bigint;
}

/** Of a run from the beginning. */
export const NOTHING: Done = { last: undefined, holders: 0, errors: 0, sum: 0n };

/** The facts that are reported; a file's have no symbol. */
type ListFacts = Pick<HolderFacts, 'checked_at_block' | 'token_decimals'> & {
  readonly token_symbol?: string;
  readonly index: Pick<HolderFacts['index'], 'complete' | 'from_block'>;
};

/** Facts about a list that decide whether it can be relied on. */
export class HoldersReport {
  readonly #context: Context;
  readonly #before: Done;
  #facts: ListFacts | undefined;
  #totals: HolderTotals | undefined;

  constructor(context: Context, before: Done = NOTHING) {
    this.#context = context;
    this.#before = before;
  }

  hooks(): { onFacts: (facts: ListFacts) => void; onTotals: (totals: HolderTotals) => void } {
    return {
      onFacts: (facts) => {
        this.#facts = facts;
      },
      onTotals: (totals) => {
        this.#totals = totals;
      },
    };
  }

  get symbol(): string {
    return this.#facts?.token_symbol ?? '';
  }

  end(): void {
    if (this.#facts === undefined || this.#totals === undefined) return;
    const { checked_at_block: block, token_decimals: decimals, index } = this.#facts;
    const { totalSupply } = this.#totals;
    const holders = this.#before.holders + this.#totals.holders;
    const errors = this.#before.errors + this.#totals.errors;
    const sum = this.#before.sum + this.#totals.sum;
    const amount = (value: bigint): string => `${formatUnits(value, decimals)} ${this.symbol}`.trimEnd();
    const tell = (line: string): void => note(this.#context, line);
    tell(`${holders} holders at block ${block}, ${amount(sum)} together`);
    if (errors > 0) tell(`the balances of ${errors} addresses could not be read`);
    if (totalSupply !== null && totalSupply !== sum) tell(`the total supply is ${amount(totalSupply)}`);
    if (!index.complete) tell(`holders from before block ${index.from_block} may be missing`);
  }
}
