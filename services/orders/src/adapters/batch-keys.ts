/** Entries of a batch and their keys: an order's id, or that id with a mark for its end. */
import type { BatchEntry } from '../ports.ts';

const END = '#end';

export function endKey(id: string): string {
  return `${id}${END}`;
}

/** The order of a key, and true where the key is that of its end. */
export function ofKey(key: string): { readonly id: string; readonly isEnd: boolean } {
  return key.endsWith(END) ? { id: key.slice(0, -END.length), isEnd: true } : { id: key, isEnd: false };
}

export type Unnumbered = Omit<BatchEntry, 'sequence'>;

/** Numbers the entries of a batch. A missing order was sent long ago; the others keep their numbers. */
export function numbered(first: number, entries: readonly (Unnumbered | undefined)[]): readonly BatchEntry[] {
  return entries.flatMap((entry, at) => (entry === undefined ? [] : [{ sequence: first + at, ...entry }]));
}
