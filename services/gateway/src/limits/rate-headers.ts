/**
 * RateLimit-Policy and RateLimit by the IETF draft (draft-ietf-httpapi-ratelimit-headers), for both limits.
 */

/** Limits of a project in a month. */
export interface Allowance {
  /** Requests a second. */
  readonly rate: number;
  readonly monthlyLimit: number;
  /** Unix milliseconds. */
  readonly month: { readonly start: number; readonly end: number };
}

/** `RateLimit-Policy`; times in seconds. */
export function ratePolicy({ rate, monthlyLimit, month }: Allowance): string {
  const window = Math.round((month.end - month.start) / 1000);
  return `"burst";q=${rate};w=1, "month";q=${monthlyLimit};w=${window}`;
}

/** `RateLimit`: the rest, and its duration. An unknown month is left out, as the draft allows. */
export function rateLeft(
  burstLeft: number,
  monthLeft: number | undefined,
  monthEnd: number,
  now: number,
): string {
  const burst = `"burst";r=${Math.floor(burstLeft)};t=1`;
  if (monthLeft === undefined) return burst;
  return `${burst}, "month";r=${monthLeft};t=${Math.ceil((monthEnd - now) / 1000)}`;
}
