/** Lists that the API answers whole, in parts that a model can take in. */
import type { NextCall } from './tool.ts';

/** Entries of an answer. */
export const PAGE = 50;

/** A part of a list, and how it goes on. */
interface Page<T> {
  readonly total: number;
  readonly items: readonly T[];
  readonly next: NextCall | null;
}

/** @param again the arguments that give the same list */
export function pageOf<T>(tool: string, list: readonly T[], begin: number, again: object): Page<T> {
  const end = begin + PAGE;
  return {
    total: list.length,
    items: list.slice(begin, end),
    next: end < list.length ? { tool, arguments: { ...again, offset: end } } : null,
  };
}
