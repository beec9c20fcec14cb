/** Lists that the API answers page by page. */

/**
 * The pages of a list, in order.
 * @param ask fetches the page at a cursor, and the first page without one
 */
export async function* readPages<Page extends { readonly next: string | null }>(
  ask: (cursor: string | undefined) => Promise<Page>,
): AsyncGenerator<Page, void> {
  let cursor: string | undefined;
  do {
    const page = await ask(cursor);
    yield page;
    cursor = page.next ?? undefined;
  } while (cursor !== undefined);
}
