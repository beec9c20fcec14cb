/** The price of requests, in units of the month's limit: the most that one may cost, and the cost of what was answered. */
import { seriesPointsOf } from './series-grid.ts';

/** One unit pays for this many rows, once the first of them is there. */
export const ROWS_PER_UNIT = 100;
/** Most rows of a body that is answered as it comes. */
export const MAX_STREAMED_ROWS = 1_000_000;
/** Most rows of such a body whose balances are proven. */
export const MAX_PROVEN_ROWS = 10_000;
/** One unit pays for this many proven rows: proving a row takes at least ten times as long as reading it. */
const PROVEN_ROWS_PER_UNIT = 10;
export const MAX_JSON_ROWS = 1_000;
/** Most orders of a page: each has its encoding and its signature. */
export const MAX_ORDERS = 500;
/** Most values and names of a JSON body of that many rows; parsed within a few milliseconds. */
export const MAX_JSON_VALUES = 40_000;
/** Most addresses of one list of holders. */
export const MAX_HOLDERS = 10_000;
/** Most addresses of one file of holders. */
export const MAX_EXPORTED = 1_000_000;
/** Most of the largest holders of one answer, and most addresses that are read to find them. */
export const MAX_LARGEST = 1_000;
export const MAX_HOLDERS_READ = 1_000_000;
const LARGEST_UNITS = 5;
const HOLDERS_READ_PER_UNIT = 1_000;
/** Most addresses of a name over a range of blocks: it may move ten times. Each is a search of its own. */
export const MAX_MEANINGS = 11;
/** Most tokens that one snapshot may be about. */
export const MAX_TOKENS = 10;

/** `{}` or `[]` and a comma. */
const SHORTEST_JSON_ROW = 3;
/** One character and the end of the line, which the last one may lack. */
const SHORTEST_LINE = 2;

/** The price of an operation. */
export type UnitsRule =
  /** The same for every request. */
  | { readonly by: 'request'; readonly units: number }
  /** By the addresses of a list (the parameter `limit`); in the order of balances by all that have to be read. */
  | { readonly by: 'holders' }
  /**
   * By the number of rows of a JSON body, lines of a streamed one (for each token), points of a series, or
   * items of a page (the parameter `limit`). One unit pays for `perUnit` of them, or for fewer lines with
   * proofs; `most` is the greatest number.
   */
  | {
      readonly by: 'rows' | 'lines' | 'points' | 'limit';
      readonly perUnit: number;
      readonly most: number;
      /** Times the tokens that the query names; or a unit for each address of a name with `resolve=each`, at least. */
      readonly each?: 'token' | 'meaning';
    };

/** Units of a number of items: one for each `perUnit` that were started, and at least one. */
export function unitsOf(items: number, perUnit = ROWS_PER_UNIT): number {
  return Math.max(Math.ceil(items / perUnit), 1);
}

/** Units of the largest holders, for which so many addresses were read. */
export function largestUnits(read: number): number {
  return LARGEST_UNITS + unitsOf(read, HOLDERS_READ_PER_UNIT);
}

/** The part of a stream's query that its price depends on. */
export interface StreamPrice {
  /** Each row is answered for each of them. */
  readonly tokens: number;
  readonly isProven: boolean;
}

/** The price of a stream by its query, without the question mark. */
export function streamPriceOf(query: string): StreamPrice {
  const params = new URLSearchParams(query);
  return {
    tokens: Math.max(namedTokens(params), 1),
    isProven: params.getAll('proof').includes('storage'),
  };
}

export function streamUnits(rows: number, { tokens, isProven }: StreamPrice): number {
  return rows === 0 ? 1 : unitsOf(rows, isProven ? PROVEN_ROWS_PER_UNIT : ROWS_PER_UNIT) * tokens;
}

/**
 * The most units that a request may cost, by what is known before it is forwarded.
 * @param query without the question mark
 * @param bodyBytes 0 where there is no body
 */
export function mostUnits(rule: UnitsRule, query: string, bodyBytes: number): number {
  if (rule.by === 'request') return rule.units;
  if (rule.by === 'holders') return mostHolderUnits(new URLSearchParams(query));
  const { perUnit, most } = rule;
  switch (rule.by) {
    case 'rows':
      return unitsOf(Math.min(Math.floor(bodyBytes / SHORTEST_JSON_ROW), most), perUnit);
    case 'lines':
      return mostStreamUnits(
        Math.min(Math.floor((bodyBytes + 1) / SHORTEST_LINE), most),
        streamPriceOf(query),
      );
    case 'points':
      return unitsOf(Math.min(seriesPointsOf(query) ?? most, most), perUnit);
    case 'limit': {
      const params = new URLSearchParams(query);
      const units = unitsOf(Math.min(countOf(params.get('limit')) ?? most, most), perUnit);
      if (rule.each === 'token') return units * (namedTokens(params) || MAX_TOKENS);
      const hasMeanings = rule.each === 'meaning' && params.getAll('resolve').includes('each');
      return hasMeanings ? Math.max(units, MAX_MEANINGS) : units;
    }
  }
}

function mostStreamUnits(lines: number, price: StreamPrice): number {
  return streamUnits(price.isProven ? Math.min(lines, MAX_PROVEN_ROWS) : lines, price);
}

function mostHolderUnits(query: URLSearchParams): number {
  // A parameter that is given twice is refused, whichever counts here.
  if (query.getAll('order').includes('balance')) return largestUnits(MAX_HOLDERS_READ);
  return unitsOf(Math.min(countOf(query.get('limit')) ?? MAX_HOLDERS, MAX_HOLDERS));
}

/** The number of tokens that a query names, separated by commas. */
function namedTokens(query: URLSearchParams): number {
  const named = query.getAll('token_address').flatMap((value) => value.split(','));
  return Math.min(named.length, MAX_TOKENS);
}

/** A small whole number; undefined for anything else, which the service refuses. */
function countOf(text: string | null): number | undefined {
  return text !== null && /^\d{1,7}$/.test(text) ? Number(text) : undefined;
}
