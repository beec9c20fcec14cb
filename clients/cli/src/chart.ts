/** A line of amounts in a terminal: a dot for each, on a scale that begins at the smallest. An unknown one is a gap. */

const ROWS = 12;

/** The lines of a chart; none where no amount is known. */
export function chart(amounts: readonly (bigint | null)[], format: (amount: bigint) => string): string[] {
  const known = amounts.filter((amount) => amount !== null);
  if (known.length === 0) return [];
  const [least, most] = [known.reduce(min), known.reduce(max)];
  const range = most - least;
  const rowOf = (amount: bigint): number =>
    range === 0n ? 0 : Number(((amount - least) * BigInt(ROWS - 1) * 2n + range) / (range * 2n));
  const rows = amounts.map((amount) => (amount === null ? undefined : rowOf(amount)));
  const scale = [format(most), format(least)];
  const width = Math.max(...scale.map((text) => text.length));
  const height = range === 0n ? 1 : ROWS;
  return Array.from({ length: height }, (_, i) => {
    const row = height - 1 - i;
    const label = i === 0 ? scale[0] : row === 0 ? scale[1] : '';
    const dots = rows.map((at) => (at === row ? '•' : ' ')).join('');
    return `${(label ?? '').padStart(width)} ┤${dots}`.trimEnd();
  });
}

const min = (a: bigint, b: bigint): bigint => (a < b ? a : b);
const max = (a: bigint, b: bigint): bigint => (a > b ? a : b);
