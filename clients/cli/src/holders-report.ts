import { formatUnits, type HolderFacts, type HolderTotals } from '@hindsight/client';
import { note, type Context } from './context.ts';
import { UsageError } from './exit-codes.ts';

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
type ListFacts = Pick<HolderFacts, 'checked_at_block' | 'finalized' | 'token_decimals'> & {
  readonly token_symbol?: string;
  readonly index: Pick<HolderFacts['index'], 'complete' | 'from_block'>;
};

/** Facts about a list that decide whether it can be relied on. */
export class HoldersReport {
  readonly #context: Context;
  readonly #before: Done;
  #facts: HolderFacts | undefined;
  #totals: HolderTotals | undefined;

  constructor(context: Context, before: Done = NOTHING) {
    this.#context = context;
    this.#before = before;
  }

  readonly onFacts = (facts: HolderFacts): void => void (this.#facts = facts);

  readonly onTotals = (totals: HolderTotals): void => void (this.#totals = totals);

  get symbol(): string {
    return this.#facts?.token_symbol ?? '';
  }

  end(): void {
    if (this.#facts === undefined || this.#totals === undefined) return;
    reportHolders(this.#context, this.#facts, {
      ...this.#totals,
      holders: this.#before.holders + this.#totals.holders,
      errors: this.#before.errors + this.#totals.errors,
      sum: this.#before.sum + this.#totals.sum,
    });
  }
}

/**
 * Refuses to go on with a list in another index, of which the report would not be true: the rows before may lack holders.
 * @param first the first block of the index that named them
 * @throws {UsageError}
 */
export function refuseOtherIndex(
  first: number,
  { index: { from_block: now } }: Pick<ListFacts, 'index'>,
): void {
  if (now !== first)
    throw new UsageError(
      `the index of holders begins at block ${now} now, and began at block ${first}: remove what is written, and begin again`,
    );
}

/** Says how much a list holds, and what may be missing in it. */
export function reportHolders(
  context: Context,
  {
    checked_at_block: block,
    finalized,
    token_decimals: decimals,
    token_symbol: symbol = '',
    index,
  }: ListFacts,
  { holders, errors, sum, totalSupply }: HolderTotals,
): void {
  const amount = (value: bigint): string => `${formatUnits(value, decimals)} ${symbol}`.trimEnd();
  const tell = (line: string): void => note(context, line);
  tell(`${holders} holders at block ${block}, ${amount(sum)} together`);
  if (!finalized) tell(`block ${block} is not final yet`);
  if (errors > 0) tell(`the balances of ${errors} addresses could not be read`);
  if (totalSupply !== null && totalSupply !== sum) tell(`the total supply is ${amount(totalSupply)}`);
  if (!index.complete) tell(`holders from before block ${index.from_block} may be missing`);
}
