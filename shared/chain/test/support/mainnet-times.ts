/**
 * Block times like Ethereum's, with the difficulties of guessing dates there, from a fixed pseudo-random
 * sequence.
 */

/** Taken once: inside a test runner's sandbox every look at a global costs, and there are 20 million. */
const { imul, log, max, round } = Math;

const GENESIS_TIME = 1_438_269_988;
const MERGE = 15_537_394;
/** Slowdowns by the difficulty bomb: from, to, seconds a block at the end. */
const BOMBS = [
  [3_600_000, 4_370_000, 31],
  [6_400_000, 7_280_000, 21],
  [8_800_000, 9_200_000, 17.5],
  [11_800_000, 12_965_000, 13.8],
] as const;

/** Unix seconds of `count` blocks from genesis on: random intervals up to the merge, then slots of which some are missed. */
export function mainnetTimes(count: number): Uint32Array {
  const times = new Uint32Array(count);
  const random = sequence();
  let time = GENESIS_TIME;
  let expected = 0;
  for (let number = 0; number < count; number++) {
    times[number] = time;
    if (number % 1_000 === 0) expected = mean(number);
    time += number + 1 >= MERGE ? slots(random) : interval(expected, random);
  }
  return times;
}

function interval(expected: number, random: () => number): number {
  return max(1, round(-log(random()) * expected));
}

function mean(number: number): number {
  const bomb = BOMBS.find(([from, to]) => number >= from && number < to);
  if (bomb) return 13.8 + (bomb[2] - 13.8) * ((number - bomb[0]) / (bomb[1] - bomb[0])) ** 2;
  if (number < 1_000_000) return 16.5 - number / 500_000;
  return number < 7_280_000 ? 14.3 : 13.2;
}

function slots(random: () => number): number {
  return random() < 0.008 ? 24 : 12;
}

/** Numbers between 0 and 1, always the same ones (a linear congruential generator). */
function sequence(): () => number {
  let state = 12_345;
  return () => {
    state = (imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return (state + 0.5) / 2 ** 32;
  };
}
