/** The most units that a series may cost: by its points, where its parameters say how many there are. */
import { HOUR_MS } from '@hindsight/kernel/durations.ts';
import { MAX_POINTS, perStarted, POINTS_PER_UNIT } from './units.ts';

const STEP_MS: Readonly<Record<string, number>> = {
  '1h': HOUR_MS,
  '6h': 6 * HOUR_MS,
  '1d': 24 * HOUR_MS,
  '1w': 168 * HOUR_MS,
};
const HEIGHT = /^\d{1,12}$/;
/** The usual forms of a date; what has another zone is read by the service alone. */
const DATE = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?Z?)?$/;

/** Units of a series. @param query without the question mark */
export function seriesUnits(query: string): number {
  const points = pointsOf(new URLSearchParams(query)) ?? MAX_POINTS;
  return perStarted(POINTS_PER_UNIT, Math.min(points, MAX_POINTS));
}

/** The most points that are meant; undefined where only the service can tell. */
function pointsOf(query: URLSearchParams): number | undefined {
  const [points, step, from, to] = ['points', 'step', 'from', 'to'].map((name) => only(query, name));
  if (points !== undefined) return /^\d{1,4}$/.test(points) ? Number(points) : undefined;
  if (step === undefined || from === undefined || to === undefined) return undefined;
  if (HEIGHT.test(step)) {
    return HEIGHT.test(from) && HEIGHT.test(to) ? steps(Number(from), Number(to), Number(step)) : undefined;
  }
  const [first, last] = [timeOf(from), timeOf(to)];
  if (first === undefined || last === undefined) return undefined;
  if (step === '1M') return steps(monthOf(first), monthOf(last), 1);
  const ms = STEP_MS[step];
  return ms === undefined ? undefined : steps(first, last, ms);
}

/** A parameter that is given once. */
function only(query: URLSearchParams, name: string): string | undefined {
  const [value, ...others] = query.getAll(name);
  return others.length === 0 ? value : undefined;
}

function steps(from: number, to: number, step: number): number | undefined {
  return step > 0 ? Math.max(Math.floor((to - from) / step), 0) + 1 : undefined;
}

function timeOf(text: string): number | undefined {
  if (!DATE.test(text)) return undefined;
  // The service does not read parts of a second either.
  const [moment = ''] = text.split('.', 1);
  const time = Date.parse(moment.includes('T') && !moment.endsWith('Z') ? `${moment}Z` : moment);
  return Number.isNaN(time) ? undefined : time;
}

function monthOf(time: number): number {
  const date = new Date(time);
  return date.getUTCFullYear() * 12 + date.getUTCMonth();
}
