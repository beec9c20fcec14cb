/** Sanitizes names, which come from untrusted contracts: they must be what they look like. */

/** Longest name that is shown, in code points. */
const MAX_NAME = 128;
/** Longest symbol that is shown, in code points. */
const MAX_SYMBOL = 64;

/**
 * Characters that are invisible, or that change how others look: controls, format characters (bidirectional
 * overrides, zero-width ones, the byte order mark, tags), private and unassigned ones, and letters and marks that
 * Unicode counts as default-ignorable or that print nothing (Hangul fillers, the empty braille pattern).
 */
const UNSEEN =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Default_Ignorable_Code_Point}\u{115f}\u{1160}\u{2800}\u{3164}\u{ffa0}]/gu;
const SPACES = /[\s\p{Z}]+/gu;
/** More marks on one letter than any script needs grow over the lines above and below. */
const MARKS = /(\p{M}{3})\p{M}+/gu;

/** A token's name as it may be shown. */
export function sanitizeName(raw: string): string {
  return sanitize(raw, MAX_NAME);
}

/** A token's symbol as it may be shown. */
export function sanitizeSymbol(raw: string): string {
  return sanitize(raw, MAX_SYMBOL);
}

/** A text without characters that deceive, of at most `max` code points. */
export function sanitize(raw: string, max: number): string {
  const clean = raw
    .toWellFormed()
    .normalize('NFC')
    .replace(SPACES, ' ')
    .replace(UNSEEN, '')
    .replace(MARKS, '$1')
    .trim();
  // A text has at most twice as many code units as code points: most need no counting.
  return clean.length <= max ? clean : [...clean].slice(0, max).join('').trimEnd();
}
