/**
 * Every page is a page of one list, and each list is numbered without gaps, so that any page is a range.
 *
 * A token is on the list of all tokens, on that of its type, and, for each prefix of its name and of its symbol, on the
 * list of that prefix, once among all types and once among its own.
 */
import { sanitize } from './sanitize.ts';
import type { Token, TokenType } from './token.ts';

/** The longest search text in code points: as long as the longest prefix that has a list. */
export const MAX_SEARCH = 40;

/** A filter of the list; without conditions, all tokens. */
export interface ListFilter {
  readonly type?: TokenType | undefined;
  /** Folded beginning of the name or the symbol. */
  readonly prefix?: string | undefined;
}

/** A text in the form for comparison: sanitized, and in lower case. */
export function foldText(text: string): string {
  // One character more than the maximum is kept, so that too long a search is recognised.
  return sanitize(sanitize(text, MAX_SEARCH + 1).toLowerCase(), MAX_SEARCH + 1);
}

/** The key of a list; null for the list of all tokens, which needs none. Folded texts have no tabs. */
export function listKey({ type, prefix = '' }: ListFilter): string | null {
  return type === undefined && prefix === '' ? null : `${type ?? ''}\t${prefix}`;
}

/** The keys of all lists that a token is on, but for that of all tokens. */
export function listsOf({ type, name, symbol }: Pick<Token, 'type' | 'name' | 'symbol'>): readonly string[] {
  const keys = [`${type}\t`];
  for (const prefix of new Set([...prefixesOf(name), ...prefixesOf(symbol)])) {
    keys.push(`\t${prefix}`, `${type}\t${prefix}`);
  }
  return keys;
}

function prefixesOf(text: string): string[] {
  const prefixes: string[] = [];
  let prefix = '';
  for (const character of foldText(text)) {
    if (prefixes.length === MAX_SEARCH) break;
    prefix += character;
    // A search is folded before the lookup, which removes a space at its end.
    if (character !== ' ') prefixes.push(prefix);
  }
  return prefixes;
}
