/** Amounts: whole numbers of the smallest unit, written out by decimals. Nothing here is ever rounded. */

/** Writes 1250000000000n with 6 decimals as "1,250,000.000000"; without decimals as the whole number. */
export function formatAmount(amount, decimals) {
  const digits = amount.toString().padStart((decimals ?? 0) + 1, '0');
  const cut = digits.length - (decimals ?? 0);
  const whole = groupDigits(digits.slice(0, cut));
  return decimals ? `${whole}.${digits.slice(cut)}` : whole;
}

/** The same without the zeros at its end: for the scale of a chart. */
export function shortAmount(amount, decimals) {
  const text = formatAmount(amount, decimals);
  if (!text.includes('.')) return text;
  let end = text.length;
  while (text[end - 1] === '0') end -= 1;
  return text.slice(0, text[end - 1] === '.' ? end - 1 : end);
}

/** 18000000 as "18,000,000". */
export function groupDigits(digits) {
  return (typeof digits === 'string' ? BigInt(digits) : digits).toLocaleString('en-US');
}

/**
 * The marks of a scale from 0 to at least `max`: steps of 1, 2 or 5 times a power of ten, in the smallest unit.
 * @returns {bigint[]} the last one is the top of the scale
 */
export function scaleMarks(max, wanted = 4) {
  if (max <= 0n) return [0n, 1n];
  const least = max / BigInt(wanted) || 1n;
  const power = 10n ** BigInt(least.toString().length - 1);
  const step = [1n, 2n, 5n, 10n].map((n) => n * power).find((n) => n >= least) ?? least;
  const marks = [0n];
  while (marks.at(-1) < max) marks.push(marks.at(-1) + step);
  return marks;
}

/** An amount's position on a scale, from 0 to 1: for drawing, never shown as a number. */
export function placeOf(amount, top) {
  return Number((amount * 1_000_000n) / top) / 1_000_000;
}
