/**
 * Pages of a list whose candidates events name. The first has a choice of them that is fair to all contracts, the next ones
 * have the others in the order of their keys: nothing is listed twice, and the last page ends the list.
 */
import { badRequest } from '@hindsight/kernel/errors.ts';

/** Start of a page after the first. */
export interface PageStart {
  /** The first block that was searched for the first page: a later one searches the same blocks. */
  readonly from: number;
  /** The mark of the first page's candidates, which a later page leaves out. */
  readonly chosen: string;
  /** The last candidate of the page before; empty where that is the first page. */
  readonly after: string;
}

/** The start of the next page, as it is sent: of one question at one block. */
export interface ListCursor extends PageStart {
  /** The block's hash. */
  readonly at: string;
  readonly mark: string;
}

const CURSOR = /^(\d{1,15})\.([0-9a-f]{16})\.(0x[0-9a-f]{64})\.([0-9a-f]{16})\.([0-9a-zA-Z ]{0,130})$/;

/** Longer than any. */
export const MAX_LIST_CURSOR = 400;

export function writeListCursor({ from, chosen, at, mark, after }: ListCursor): string {
  return Buffer.from([from, chosen, at, mark, after].join('.')).toString('base64url');
}

/** Reads a cursor; undefined where it is none. */
export function readListCursor(text: string): ListCursor | undefined {
  const [, from, chosen, at, mark, after] =
    CURSOR.exec(Buffer.from(text, 'base64url').toString('latin1')) ?? [];
  if (from === undefined || chosen === undefined || at === undefined) return undefined;
  return { from: Number(from), chosen, at, mark: mark!, after: after! };
}

/**
 * Refuses a cursor of another question, at another block, or of a search that began above its block.
 * @throws {ApiError} 400
 */
export function checkListCursor(
  cursor: ListCursor | undefined,
  mark: string,
  block: { readonly number: number; readonly hash: string },
): void {
  if (cursor === undefined) return;
  if (cursor.mark === mark && cursor.at === block.hash && cursor.from <= block.number) return;
  throw badRequest('cursor: expected the next of an earlier answer to the same question, at the same block');
}
