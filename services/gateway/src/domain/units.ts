/** The most units that a request may cost, by what is known before it is forwarded: its query and its body's length. */

import { ROWS_PER_UNIT } from '@hindsight/api/row-units.ts';

/** @param query without the question mark @param bodyBytes 0 where there is no body */
export type UnitsRule = (query: string, bodyBytes: number) => number;

export const POINTS_PER_UNIT = 10;
export const MAX_POINTS = 1_000;
/** `{}` or `[]` and a comma. */
const SHORTEST_JSON_ROW = 3;
/** One character and the end of the line, which the last one may lack. */
const SHORTEST_LINE = 2;
const MAX_TOKENS = 10;

/** The same, whatever is asked. */
export function fixedUnits(units: number): UnitsRule {
  return () => units;
}

/** By the rows of a JSON body. */
export function rowUnits(maxRows: number): UnitsRule {
  return (_query, bodyBytes) =>
    perStarted(ROWS_PER_UNIT, Math.min(Math.floor(bodyBytes / SHORTEST_JSON_ROW), maxRows));
}

/** By the lines of a body, for each token in the query. */
export function lineUnits(maxLines: number): UnitsRule {
  return (query, bodyBytes) =>
    streamUnits(Math.min(Math.floor((bodyBytes + 1) / SHORTEST_LINE), maxLines), tokensOf(query));
}

/** What a stream costs that has read these lines, for each token. */
export function streamUnits(lines: number, tokens: number): number {
  return lines === 0 ? 1 : perStarted(ROWS_PER_UNIT, lines) * tokens;
}

/** The tokens that a query names, separated by commas. */
export function tokensOf(query: string): number {
  const named = new URLSearchParams(query).getAll('token_address').flatMap((value) => value.split(','));
  return Math.min(Math.max(named.length, 1), MAX_TOKENS);
}

/** By the points that a query asks for; the most there can be where it does not name their number. */
export function pointUnits(parameter: string): UnitsRule {
  return (query) => {
    const asked = new URLSearchParams(query).get(parameter);
    const points = asked !== null && /^\d{1,4}$/.test(asked) ? Number(asked) : MAX_POINTS;
    return perStarted(POINTS_PER_UNIT, Math.min(points, MAX_POINTS));
  };
}

/** At least one unit: what is answered at all costs that. */
export function perStarted(size: number, count: number): number {
  return Math.max(Math.ceil(count / size), 1);
}
