/** Lists that the API answers whole, in parts that a model can take in. */
import type { NextCall } from './tool.ts';

/** Entries of an answer. */
export const PAGE = 50;

/** A part of a list, and how it goes on. */
interface Page<T> {
  readonly total: number;
  readonly items: readonly T[];
  /** True if the parts before are of a list of another length: more or less of it was read then. */
  readonly isOther: boolean;
  readonly next: NextCall | null;
}

/** Start of a part, from `next.arguments` of the part before. */
interface PartStart {
  readonly offset?: number | undefined;
  readonly total?: number | undefined;
}

/** @param again the arguments that give the same list */
export function pageOf<T>(
  tool: string,
  list: readonly T[],
  { offset = 0, total = list.length }: PartStart,
  again: object,
): Page<T> {
  const end = offset + PAGE;
  return {
    total: list.length,
    items: list.slice(offset, end),
    isOther: total !== list.length,
    next: end < list.length ? { tool, arguments: { ...again, offset: end, total: list.length } } : null,
  };
}
