/**
 * Every page is a page of one list, and each list is numbered without gaps, so that any page is a range.
 *
 * A token is on the list of all tokens, on that of its type, and, for each text with which its name or symbol can be
 * found, on the list of that text, once among all types and once among its own. It can be found by the beginning of its
 * name or symbol, and from the beginning of each of their words on.
 */
import { sanitize } from './sanitize.ts';
import type { Token, TokenNames, TokenType } from './token.ts';

/** The longest search text in code points: as long as the longest prefix that has a list. */
export const MAX_SEARCH = 40;

/** Words of a text that have lists, the first included: names come from untrusted contracts, and a list takes room. */
const MAX_WORDS = 8;
/** Begins a word: what follows a space or a sign, and a capital within a word, as in CryptoKitties. */
const WORD_START = /(?<=[^\p{L}\p{M}\p{N}])[\p{L}\p{N}]|(?<=\p{Ll})\p{Lu}/gu;

/** A filter of the list; without conditions, all tokens. */
export interface ListFilter {
  readonly type?: TokenType | undefined;
  /** Folded beginning of the name, of the symbol, or of a word in them. */
  readonly prefix?: string | undefined;
}

/** A text in the form for comparison: sanitized, and in lower case with one sigma, wherever in a word it stands. */
export function foldText(text: string): string {
  return lowerCase(text).replaceAll('ς', 'σ');
}

function lowerCase(text: string): string {
  // One character more than the maximum is kept, so that too long a search is recognised.
  return sanitize(sanitize(text, MAX_SEARCH + 1).toLowerCase(), MAX_SEARCH + 1);
}

/** The key of a list; null for the list of all tokens, which needs none. Folded texts have no tabs. */
export function listKey({ type, prefix = '' }: ListFilter): string | null {
  return type === undefined && prefix === '' ? null : `${type ?? ''}\t${prefix}`;
}

/** The facts that decide on which lists a token is. */
type Listed = Pick<Token, 'type' | 'name' | 'symbol'>;

/** The keys of all lists that a token is on, but for that of all tokens. */
export function listsOf(token: Listed): readonly string[] {
  const { type, name, symbol } = token;
  const texts = [name, symbol, ...wordsIn(name), ...wordsIn(symbol)].map(foldText);
  return [`${type}\t`, ...keysOf(type, texts.flatMap(prefixesOf))];
}

/** The keys of the lists that a token gets onto by its later names. */
export function listsGained(token: Listed, later: TokenNames): readonly string[] {
  const before = new Set(listsOf(token));
  return listsOf({ ...token, ...later }).filter((list) => !before.has(list));
}

/** Those of them that versions up to 0.2.0 did not have: by a word inside of its name or symbol, or by a last sigma. */
export function wordListsOf(token: Listed): readonly string[] {
  const { type, name, symbol } = token;
  const had = new Set(keysOf(type, ['', ...prefixesOf(lowerCase(name)), ...prefixesOf(lowerCase(symbol))]));
  return listsOf(token).filter((list) => !had.has(list));
}

function keysOf(type: TokenType, prefixes: readonly string[]): string[] {
  return [...new Set(prefixes)].flatMap((prefix) => [`\t${prefix}`, `${type}\t${prefix}`]);
}

/** The text from each of its words on, but for the first. */
function wordsIn(text: string): string[] {
  const starts = [...text.matchAll(WORD_START)].map(({ index }) => index);
  return starts.slice(0, MAX_WORDS - 1).map((start) => text.slice(start));
}

function prefixesOf(folded: string): string[] {
  const prefixes: string[] = [];
  let prefix = '';
  for (const character of folded) {
    if (prefixes.length === MAX_SEARCH) break;
    prefix += character;
    // A search is folded before the lookup, which removes a space at its end.
    if (character !== ' ') prefixes.push(prefix);
  }
  return prefixes;
}
