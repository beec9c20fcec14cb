/**
 * The items of a list that is read page by page; a page that is not full is the last.
 * @param read reads the page that follows an item, the first page without one
 */
export async function* readPages<T>(
  size: number,
  read: (after: T | undefined) => Promise<readonly T[]>,
): AsyncGenerator<T, void> {
  for (let after: T | undefined; ;) {
    const page = await read(after);
    yield* page;
    if (page.length < size) return;
    after = page.at(-1);
  }
}
