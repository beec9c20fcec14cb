/** The picture's points: one `series` call of the API. */

/** The most points: more dots than this cannot be told apart, and ten of them cost a unit. */
export const MAX_POINTS = 120;

/** The question for a picture from one height to another: every block where they are few. */
export function seriesOf({ token, holder }, from, to) {
  return { token, holder, from, to, points: Math.min(MAX_POINTS, Math.max(2, to - from + 1)) };
}

/** The points of an answer; an amount of null where there was no such token. */
export function pointsIn({ points }) {
  return points.map(({ block, date, balance }) => ({
    height: block,
    date,
    amount: balance === null ? null : BigInt(balance),
  }));
}

/**
 * Number of points whose balance differs from the point before, and of those whose predecessor is the block
 * before.
 */
export function countChanges(points) {
  const changes = points.filter((point, i) => i > 0 && point.amount !== points[i - 1].amount);
  const exact = changes.filter((point) => points.some(({ height }) => height === point.height - 1));
  return { all: changes.length, exact: exact.length };
}
