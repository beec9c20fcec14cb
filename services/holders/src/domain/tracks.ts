/** The units of indexing. Each track has its own walk and position, so a token can be added later. */

export const ALL_TOKENS = '*';

/** `ALL_TOKENS`, or the lower-cased address of one token. */
export type Track = string;

/** Each token that is indexed by itself has its own walk; beyond this many, one walk over all is less work. */
export const MAX_TOKENS = 100;

const ADDRESS = /^0x[0-9a-f]{40}$/;

/** Reads `all`, or addresses that are separated by commas, blanks or line ends. @returns what is wrong, as a text */
export function readTracks(text: string): readonly Track[] | string {
  const words = text
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((word) => word !== '');
  if (words.length === 1 && words[0] === 'all') return [ALL_TOKENS];
  const wrong = words.find((word) => !ADDRESS.test(word));
  if (wrong !== undefined) return `${wrong.slice(0, 60)} is no address; expected all, or addresses of tokens`;
  const tracks = [...new Set(words)];
  if (tracks.length > MAX_TOKENS)
    return `it has ${tracks.length} tokens; expected ${MAX_TOKENS} at the most, or all`;
  return tracks;
}
