/** Digests of 32 bits: FNV-1a. */

/** The digest of nothing. */
export const EMPTY_DIGEST = 0x811c9dc5;

/** A digest with one more number. */
export function mix(digest: number, number: number): number {
  return Math.imul(digest ^ number, 0x01000193) >>> 0;
}

/** A digest with the UTF-16 units of a text. */
export function digestOf(text: string, digest = EMPTY_DIGEST): number {
  for (let i = 0; i < text.length; i++) digest = mix(digest, text.charCodeAt(i));
  return digest;
}
