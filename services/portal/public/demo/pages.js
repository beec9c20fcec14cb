/** Reads lists page by page, up to a bound: each page costs the demo key five units, and waits for its turn. */

/** The most pages that are read. */
export const MOST_PAGES = 5;

/**
 * Reads a list from its first page on.
 * @param client `ask(question)` answers `{json}`; `next` in it is the cursor of the next page, or null
 * @param onPage called with all pages so far, after each page that has a next one
 * @returns {Promise<object[]>} the pages; `next` of the last one is null unless there are more
 */
export async function readPages(client, { endpoint, params }, onPage = () => undefined) {
  const pages = [];
  for (let cursor = null; pages.length < MOST_PAGES;) {
    const query = cursor === null ? params : { ...params, cursor };
    const { json } = await client.ask({ endpoint, params: query });
    pages.push(json);
    cursor = json.next;
    if (cursor === null) break;
    onPage(pages);
  }
  return pages;
}

/** The sum over pages. @param countOf of one page */
export function sumOver(pages, countOf) {
  return pages.reduce((sum, page) => sum + countOf(page), 0);
}
