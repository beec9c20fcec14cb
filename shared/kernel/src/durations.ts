/** A day in milliseconds; UTC knows no other length. */
export const DAY_MS = 86_400_000;
