/** RateLimit-Policy and RateLimit as the IETF draft (draft-ietf-httpapi-ratelimit-headers) has them, for both limits. */

/** What a project may do in a month. */
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

/** `RateLimit`: what is left, and for how long. */
export function rateLeft(burstLeft: number, monthLeft: number, monthEnd: number, now: number): string {
  const reset = Math.ceil((monthEnd - now) / 1000);
  return `"burst";r=${Math.floor(burstLeft)};t=1, "month";r=${monthLeft};t=${reset}`;
}
