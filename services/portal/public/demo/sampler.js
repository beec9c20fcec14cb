/**
 * Which heights to ask for. First a few, evenly spread; then always the middle of the stretch over which the balance
 * changed most, until every change is found to the block or enough has been asked.
 */

/** Heights to begin with, the coarse ones first, so that the picture is there soon and gets finer. */
export function firstHeights(from, to, count = 9) {
  const span = to - from;
  const parts = Math.max(1, Math.min(count - 1, span));
  const heights = [from, to];
  for (let step = parts; step >= 1; step = Math.floor(step / 2)) {
    for (let i = step; i < parts; i += step) heights.push(from + Math.round((span * i) / parts));
  }
  return [...new Set(heights)];
}

/**
 * The next height, or null when nothing is left to find.
 * @param points sorted by height: {height, amount}; amount is null where there was no such token or name yet
 */
export function nextHeight(points) {
  const largest = points.reduce((max, { amount }) => (amount !== null && amount > max ? amount : max), 1n);
  const span = (points.at(-1)?.height ?? 0) - (points[0]?.height ?? 0) || 1;
  let best = { score: 0, height: null };
  for (let i = 1; i < points.length; i++) {
    const [a, b] = [points[i - 1], points[i]];
    const width = b.height - a.height;
    if (width < 2 || a.amount === b.amount) continue;
    const score = jump(a.amount, b.amount, largest) + width / span;
    if (score > best.score) best = { score, height: a.height + Math.floor(width / 2) };
  }
  return best.height;
}

/** From 0 to 1. */
function jump(a, b, largest) {
  if (a === null || b === null) return 0.5;
  const difference = a > b ? a - b : b - a;
  return Number((difference * 1000n) / largest) / 1000;
}

/** Puts a point in its place. */
export function insertPoint(points, point) {
  const at = points.findIndex(({ height }) => height >= point.height);
  if (at === -1) return [...points, point];
  const same = points[at].height === point.height;
  return [...points.slice(0, at), point, ...points.slice(same ? at + 1 : at)];
}

/** Changes that are known to the block. */
export function countChanges(points) {
  return points.filter(
    (p, i) => i > 0 && p.amount !== points[i - 1].amount && p.height - points[i - 1].height === 1,
  ).length;
}
