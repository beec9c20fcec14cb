/** The first and the first following millisecond of a month, Unix time. */
export interface Period {
  readonly start: number;
  readonly end: number;
}

/** Names a project's record of a month. */
export interface RecordName {
  readonly project: string;
  readonly month: string;
}

/** The day of a moment: `2026-11-21`. */
export function dayOf(now: number): string {
  return new Date(now).toISOString().slice(0, 10);
}

/** The first millisecond of a day such as `2026-11-21`; undefined for a text that is none, and for a day that does not exist. */
export function startOfDay(text: string): number | undefined {
  const start = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(text) : NaN;
  // It takes the 30th of February for a day in March.
  return Number.isNaN(start) || dayOf(start) !== text ? undefined : start;
}

/** The month of a day, or of a moment in ISO 8601 and UTC: `2026-11`. */
export function monthOf(day: string): string {
  return day.slice(0, 7);
}

/** The key of a project's record of a month. Stores keep it as an id. */
export function recordKey({ project, month }: RecordName): string {
  return `${month}|${project}`;
}

export function periodOf(now: number): Period {
  const date = new Date(now);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  return { start: Date.UTC(year, month, 1), end: Date.UTC(year, month + 1, 1) };
}
