/** Numbers that look random and are the same each time. */

/** A generator of numbers from 0 to 1 (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Picks from 0 to `count - 1`: the n-th as often as the first divided by n to the power of `skew`. */
export function zipf(count: number, skew: number, random: () => number): () => number {
  const sums = new Float64Array(count);
  let sum = 0;
  for (let n = 0; n < count; n++) sums[n] = sum += (n + 1) ** -skew;
  return () => {
    const wanted = random() * sum;
    let [low, high] = [0, count - 1];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (sums[middle]! < wanted) low = middle + 1;
      else high = middle;
    }
    return low;
  };
}
