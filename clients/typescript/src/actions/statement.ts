import { amountOf, formatUnits } from '../amount.ts';
import type { components } from '../openapi.ts';
import type { Transport } from '../transport.ts';
import { decimalsOf } from './networks.ts';
import { bound } from './series.ts';

type Wire = components['schemas']['BalanceStatement'];
type WirePeriod = Wire['periods'][number];
type Amounts = 'opening' | 'in' | 'out' | 'unexplained' | 'closing';

/** A period: opening + in − out + unexplained = closing. An amount is null where it is not known. */
export type StatementPeriod = Omit<WirePeriod, Amounts> & Readonly<Record<Amounts, bigint | null>>;

/** A balance over periods. */
export type Statement = Omit<Wire, 'periods'> & {
  readonly periods: readonly StatementPeriod[];
  /** An amount of the statement in whole tokens. */
  format(amount: bigint): string;
};

/** Whose balance of what, from when to when, and how long a period is. */
export interface StatementQuestion {
  /** The token contract, or `native` for ether. */
  readonly token: string;
  /** An address or an ENS name. */
  readonly holder: string;
  /** A block's number, or a date. */
  readonly from: number | string | Date;
  /** A block's number, or a date. Default: the latest block */
  readonly to?: number | string | Date | undefined;
  /** `1h`, `6h`, `1d`, `1w`, `1M`, or a number of blocks. Default: `1M` */
  readonly step?: '1h' | '6h' | '1d' | '1w' | '1M' | number | undefined;
  /** A name is resolved `once`, at the last block (the default), or at the end of `each` of up to 100 periods. */
  readonly resolve?: 'once' | 'each' | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A balance at the ends of up to 1,000 periods, and what moved it in each. */
export async function balanceStatement(
  transport: Transport,
  { token, holder, from, to, step = '1M', resolve, signal }: StatementQuestion,
): Promise<Statement> {
  const record = await transport.json<Wire>({
    path: transport.pathTo('getBalanceStatement'),
    query: { token_address: token, holder, from: bound(from), to: bound(to), step, resolve },
    signal,
  });
  const decimals = await decimalsOf(record, transport, signal);
  return {
    ...record,
    periods: record.periods.map((period) => ({
      ...period,
      opening: amountOf(period.opening),
      in: amountOf(period.in),
      out: amountOf(period.out),
      unexplained: amountOf(period.unexplained),
      closing: amountOf(period.closing),
    })),
    format: (amount) => formatUnits(amount, decimals),
  };
}
