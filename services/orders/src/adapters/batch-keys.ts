/** Keys of a batch's entries: an order's id, or that id with a mark for its end. */
const END = '#end';

/** The key of an order's end. */
export function endKey(id: string): string {
  return `${id}${END}`;
}

/** The order of a key, and true where the key is that of its end. */
export function ofKey(key: string): { readonly id: string; readonly isEnd: boolean } {
  return key.endsWith(END) ? { id: key.slice(0, -END.length), isEnd: true } : { id: key, isEnd: false };
}
