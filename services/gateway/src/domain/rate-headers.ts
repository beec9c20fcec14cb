/** RateLimit-Policy and RateLimit as the IETF draft (draft-ietf-httpapi-ratelimit-headers) has them, for both limits. */

/** Where a project stands. */
export interface Standing {
  /** Requests a second. */
  readonly rate: number;
  readonly burstLeft: number;
  readonly monthlyLimit: number;
  readonly monthLeft: number;
  /** Unix milliseconds. */
  readonly month: { readonly start: number; readonly end: number };
  readonly now: number;
}

/** The headers of an answer. */
export interface RateHeaders {
  readonly 'ratelimit-policy': string;
  readonly ratelimit: string;
}

/** Both headers; times in seconds. */
export function rateHeaders(standing: Standing): RateHeaders {
  const { rate, burstLeft, monthlyLimit, monthLeft, month, now } = standing;
  const window = Math.round((month.end - month.start) / 1000);
  const reset = Math.ceil((month.end - now) / 1000);
  return {
    'ratelimit-policy': `"burst";q=${rate};w=1, "month";q=${monthlyLimit};w=${window}`,
    ratelimit: `"burst";r=${Math.floor(burstLeft)};t=1, "month";r=${monthLeft};t=${reset}`,
  };
}
