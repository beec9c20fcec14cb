/** A second's worth of tokens, refilled continuously. */
export interface TokenBucket {
  tokens: number;
  /** Unix milliseconds. */
  filledAt: number;
}

export function fullBucket(size: number, now: number): TokenBucket {
  return { tokens: size, filledAt: now };
}

/**
 * Takes a token from a bucket that holds `size` and gets `rate` of them a second.
 * @param tokens 0 only fills the bucket up
 * @returns 0 when there was one, else the milliseconds until there will be
 */
export function takeToken(
  bucket: TokenBucket,
  size: number,
  rate: number,
  now: number,
  tokens: 0 | 1 = 1,
): number {
  // A clock that was set back must not empty the bucket.
  const passed = Math.max(now - bucket.filledAt, 0);
  bucket.tokens = Math.min(size, bucket.tokens + (passed * rate) / 1000);
  bucket.filledAt = now;
  if (bucket.tokens >= tokens) {
    bucket.tokens -= tokens;
    return 0;
  }
  return Math.ceil(((1 - bucket.tokens) * 1000) / rate);
}
