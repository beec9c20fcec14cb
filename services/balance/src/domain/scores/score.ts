/** Scores of voters: exact, and as the floats that Snapshot's own API answers. Pure. */

/** A decimal number: `units / 10 ** decimals`. */
export interface Decimal {
  readonly units: bigint;
  readonly decimals: number;
}

/** A score. The float may differ from the nearest one to the exact number where floats were added. */
export interface Score {
  readonly exact: Decimal;
  readonly float: number;
}

export function scoreOf(units: bigint, decimals: number): Score {
  const exact = { units, decimals };
  return { exact, float: Number(decimalText(exact)) };
}

/** The score of a number as JSON has it. */
export function scoreOfNumber(float: number): Score {
  const [mantissa = '', exponent = '0'] = String(float).split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const decimals = fraction.length - Number(exponent);
  const units = BigInt(whole + fraction) * 10n ** BigInt(Math.max(-decimals, 0));
  return { exact: { units, decimals: Math.max(decimals, 0) }, float };
}

/** Adds scores; the floats in their order, as rounding depends on it. */
export function sumOf(scores: readonly Score[]): Score {
  const decimals = Math.max(0, ...scores.map(({ exact }) => exact.decimals));
  let units = 0n;
  let float = 0;
  for (const { exact, float: part } of scores) {
    units += exact.units * 10n ** BigInt(decimals - exact.decimals);
    float += part;
  }
  return { exact: { units, decimals }, float };
}

/** Writes a decimal number without zeros at its end: `12.5`. */
export function decimalText({ units, decimals }: Decimal): string {
  const digits = (units < 0n ? -units : units).toString().padStart(decimals + 1, '0');
  const point = digits.length - decimals;
  let end = digits.length;
  while (end > point && digits[end - 1] === '0') end--;
  const fraction = end === point ? '' : `.${digits.slice(point, end)}`;
  return `${units < 0n ? '-' : ''}${digits.slice(0, point)}${fraction}`;
}
