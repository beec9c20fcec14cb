/** The picture's points: one `series` call of the API. */

/** The most points: more dots than this cannot be told apart, and ten of them cost a unit. */
export const MAX_POINTS = 120;

/** The question for a picture from one height to another: every block where they are few. */
export function seriesOf({ token, holder }, from, to) {
  return { token, holder, from, to, points: Math.min(MAX_POINTS, Math.max(2, to - from + 1)) };
}

/** The points of an answer; an amount of null where there was no such token, or it did not report one: `reason` says which. */
export function pointsIn({ points }) {
  return points.map(({ block, date, balance, reason }) => ({
    height: block,
    date,
    amount: balance === null ? null : BigInt(balance),
    reason,
  }));
}

/** True where a token did not report a balance: there may have been one. */
export function isUntold({ reason }) {
  return reason === 'no-balance' || reason === 'not-asked';
}

/** Words for a point without an amount. */
export function absenceInWords(point) {
  return isUntold(point) ? 'not known' : 'none';
}

/**
 * Number of points whose balance differs from the last known one before, and of those whose predecessor is the block
 * before.
 */
export function countChanges(points) {
  // Before its contract a token has no holders.
  const known = points.filter((point) => !isUntold(point));
  const changes = known.filter((point, i) => i > 0 && (point.amount ?? 0n) !== (known[i - 1].amount ?? 0n));
  const exact = changes.filter((point) => known.some(({ height }) => height === point.height - 1));
  return { all: changes.length, exact: exact.length };
}
