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

/** The contracts of a portfolio that gave no answer. A later page has the rest of one that was cut. */
export function unreadIn(pages) {
  const reasons = pages.flatMap(({ asked }) => Object.entries(asked.unread_reasons));
  return new Set(reasons.filter(([, why]) => why !== 'cut').map(([contract]) => contract));
}

/** Words for a list without an open approval: only of a whole list is it known that there was none. */
export function noneOpenInWords(pages) {
  const isWhole = pages.at(-1).asked.complete && pages.every(({ asked }) => asked.unread.length === 0);
  return isWhole ? 'None were open.' : 'None were found.';
}
