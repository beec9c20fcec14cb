import { markOf } from '@hindsight/kernel/mark.ts';
import { checkListCursor, writeListCursor, type ListCursor, type PageStart } from '../domain/list-page.ts';
import type { StateAt } from '../ports.ts';

/**
 * Opens a page of a list at a block.
 * @param question what is asked, the same for all pages @param cursor of this page; undefined for the first
 * @returns writes the cursor of the next page
 * @throws {ApiError} 400 for a cursor of another question, or at another block
 */
export async function openPage(
  state: StateAt,
  question: readonly string[],
  cursor: ListCursor | undefined,
): Promise<(next: PageStart | null) => string | null> {
  const block = await state.block();
  const mark = markOf(question);
  checkListCursor(cursor, mark, block);
  return (next) => next && writeListCursor({ ...next, at: block.hash, mark });
}
