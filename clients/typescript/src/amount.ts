/** Amounts are whole numbers of the smallest unit: exact as `bigint`, never a float. */

/**
 * An amount in whole tokens, exact: `formatUnits(4550227500n, 6)` is "4550.2275".
 * @param decimals null counts as 0: the contract names none
 */
export function formatUnits(amount: bigint, decimals: number | null): string {
  const digits = (amount < 0n ? -amount : amount).toString();
  const places = decimals ?? 0;
  const padded = digits.padStart(places + 1, '0');
  const whole = padded.slice(0, padded.length - places);
  const fraction = trimZeros(padded.slice(padded.length - places));
  return `${amount < 0n ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`;
}

/** An amount of an answer; null where there is none. */
export function amountOf(text: string | null): bigint | null {
  return text === null ? null : BigInt(text);
}

function trimZeros(text: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === '0') end--;
  return text.slice(0, end);
}
