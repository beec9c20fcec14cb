/** Late usage is counted in its own month, within limits. */

const DAY_MS = 86_400_000;
/** After this long a month is settled. */
const LATEST_DAYS = 35;
/** Clocks differ; a day that has not begun anywhere is a mistake. */
const AHEAD_MS = 5 * 60_000;

/** An event that is too late, or from the future, to be counted. */
class OutOfTime extends Error {
  override readonly name = 'OutOfTime';
}

/** @throws {OutOfTime} for a day that ended more than 35 days ago, or has not begun */
export function checkDay(day: string, now: number): void {
  const start = Date.parse(day);
  if (start + DAY_MS + LATEST_DAYS * DAY_MS < now)
    throw new OutOfTime(`${day} is more than ${LATEST_DAYS} days ago`);
  if (start > now + AHEAD_MS) throw new OutOfTime(`${day} is in the future`);
}
