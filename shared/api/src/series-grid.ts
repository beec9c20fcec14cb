/** The points of a series: their places and their number. Services read at them, the gateway counts them. */

export const MAX_POINTS = 1_000;
export const POINTS_PER_UNIT = 10;

/** Points at regular intervals of time, calendar months or blocks, or a number of points from end to end. */
export type Grid =
  | { readonly step: 'seconds'; readonly seconds: number; readonly text: string }
  | {
      readonly step: 'month';
      /** Seconds by which the zone of the calendar is ahead of UTC; 0 where it is UTC. */
      readonly ahead?: number;
    }
  | { readonly step: 'blocks'; readonly blocks: number }
  | { readonly step: 'even'; readonly points: number };

const HOUR = 3_600;
const STEP_SECONDS = new Map([
  ['1h', HOUR],
  ['6h', 6 * HOUR],
  ['1d', 24 * HOUR],
  ['1w', 168 * HOUR],
]);
const MONTH = '1M';

/** The forms of a step, for people and as a pattern. */
export const STEP_EXPECTED = 'expected 1h, 6h, 1d, 1w, 1M (a calendar month), or a number of blocks';
export const STEP_PATTERN = '^(1h|6h|1d|1w|1M|[1-9][0-9]{0,11})$';

/** Reads the parameter `step`; undefined for anything else. */
export function readStep(text: string): Grid | undefined {
  const seconds = STEP_SECONDS.get(text);
  if (seconds !== undefined) return { step: 'seconds', seconds, text };
  if (text === MONTH) return { step: 'month' };
  return /^[1-9]\d{0,11}$/.test(text) ? { step: 'blocks', blocks: Number(text) } : undefined;
}

/** Reads the parameter `points`; undefined for anything else. */
export function readPoints(text: string): Grid | undefined {
  const points = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  return points >= 2 && points <= MAX_POINTS ? { step: 'even', points } : undefined;
}

/**
 * The number of points from one end to the other. Points that are spread evenly may be fewer where the ends are close.
 * @param from Unix seconds, or a height @param to not before `from`
 */
export function countPoints(grid: Grid, from: number, to: number): number {
  switch (grid.step) {
    case 'seconds':
      return Math.floor((to - from) / grid.seconds) + 1;
    case 'blocks':
      return Math.floor((to - from) / grid.blocks) + 1;
    case 'month': {
      const { ahead = 0 } = grid;
      const months = monthOf(to + ahead) - monthOf(from + ahead);
      return monthsAfter(from, months, ahead) <= to ? months + 1 : months;
    }
    case 'even':
      return grid.points;
  }
}

/** The points themselves, ascending, each once: Unix seconds, or heights. */
export function pointsOnGrid(grid: Grid, from: number, to: number): readonly number[] {
  const count = countPoints(grid, from, to);
  const points = Array.from({ length: count }, (_, i) => pointAt(grid, i, from, to));
  return grid.step === 'even' ? [...new Set(points)] : points;
}

function pointAt(grid: Grid, i: number, from: number, to: number): number {
  switch (grid.step) {
    case 'seconds':
      return from + i * grid.seconds;
    case 'blocks':
      return from + i * grid.blocks;
    case 'month':
      return monthsAfter(from, i, grid.ahead);
    case 'even':
      return from + Math.round(((to - from) * i) / (grid.points - 1));
  }
}

function monthOf(seconds: number): number {
  const date = new Date(seconds * 1000);
  return date.getUTCFullYear() * 12 + date.getUTCMonth();
}

/** The same day and time of a later month; the month's last day where it is shorter. @param ahead as in a `Grid` */
function monthsAfter(seconds: number, count: number, ahead = 0): number {
  const date = new Date((seconds + ahead) * 1000);
  const day = date.getUTCDate();
  date.setUTCDate(1);
  date.setUTCMonth(date.getUTCMonth() + count + 1, 0);
  date.setUTCDate(Math.min(day, date.getUTCDate()));
  return date.getTime() / 1000 - ahead;
}

const HEIGHT = /^\d{1,12}$/;
/** The usual forms of a date; what has another zone is read by the service alone. */
const DATE = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?Z?)?$/;

/**
 * The most points that a query of a series means; undefined where only the service can tell.
 * @param query without the question mark
 */
export function seriesPointsOf(query: string): number | undefined {
  const parameters = new URLSearchParams(query);
  const [points, step, from, to] = ['points', 'step', 'from', 'to'].map((name) => only(parameters, name));
  if (points !== undefined) {
    const grid = readPoints(points);
    return grid && countPoints(grid, 0, 0);
  }
  const grid = step === undefined ? undefined : readStep(step);
  if (grid === undefined || from === undefined || to === undefined) return undefined;
  const read = grid.step === 'blocks' ? heightOf : timeOf;
  const [first, last] = [read(from), read(to)];
  return first === undefined || last === undefined
    ? undefined
    : countPoints(grid, first, Math.max(first, last));
}

/** A parameter that is given once. */
function only(query: URLSearchParams, name: string): string | undefined {
  const [value, ...others] = query.getAll(name);
  return others.length === 0 ? value : undefined;
}

function heightOf(text: string): number | undefined {
  return HEIGHT.test(text) ? Number(text) : undefined;
}

/** Unix seconds; parts of a second are cut off, as the service does. */
function timeOf(text: string): number | undefined {
  if (!DATE.test(text)) return undefined;
  const [moment = ''] = text.split('.', 1);
  const time = Date.parse(moment.includes('T') && !moment.endsWith('Z') ? `${moment}Z` : moment);
  return Number.isNaN(time) ? undefined : time / 1000;
}
