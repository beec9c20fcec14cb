import { amountOf, formatUnits } from '../amount.ts';
import type { components } from '../openapi.ts';
import type { Transport } from '../transport.ts';
import { decimalsOf } from './networks.ts';

type Wire = components['schemas']['BalanceSeries'];
type WirePoint = Wire['points'][number];

/** A balance at a point in time; null where `reason` says that there was none. */
export type SeriesPoint = Omit<WirePoint, 'balance'> & { readonly balance: bigint | null };

/** A balance over time. */
export type Series = Omit<Wire, 'points'> & {
  readonly points: readonly SeriesPoint[];
  /** An amount of the series in whole tokens. */
  format(amount: bigint): string;
};

/** From when to when, and how often. */
export interface PointsQuestion {
  /** A block's number, or a date. */
  readonly from: number | string | Date;
  /** A block's number, or a date. Default: the latest block */
  readonly to?: number | string | Date | undefined;
  /** `1h`, `6h`, `1d`, `1w`, `1M`, or a number of blocks. One of `step` and `points`. */
  readonly step?: '1h' | '6h' | '1d' | '1w' | '1M' | number | undefined;
  /** The number of points from end to end: 2 to 1,000. */
  readonly points?: number | undefined;
}

/** Whose balance of what, from when to when, and how often. */
export interface SeriesQuestion extends PointsQuestion {
  /** The token contract, or `native` for ether. */
  readonly token: string;
  /** An address or an ENS name. */
  readonly holder: string;
  /** A name is resolved `once`, at the last point (the default), or at `each` of up to 100. */
  readonly resolve?: 'once' | 'each' | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A balance at up to 1,000 points, each the last block at or before its moment. */
export async function balanceSeries(transport: Transport, question: SeriesQuestion): Promise<Series> {
  const { token, holder, from, to, step, points, resolve, signal } = question;
  const record = await transport.json<Wire>({
    path: transport.pathTo('getBalanceSeries'),
    query: { token_address: token, holder, from: bound(from), to: bound(to), step, points, resolve },
    signal,
  });
  const decimals = await decimalsOf(record, transport, signal);
  return {
    ...record,
    points: record.points.map((point) => ({ ...point, balance: amountOf(point.balance) })),
    format: (amount) => formatUnits(amount, decimals),
  };
}

/** An end of a range as the API takes it. */
export function bound(end: number | string | Date | undefined): number | string | undefined {
  return end instanceof Date ? end.toISOString() : end;
}
