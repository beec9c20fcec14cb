/** Lists of a wallet that the API answers page by page: the pages are read up to a bound, and merged. */
import type { components } from '@hindsight/client';
import { z } from 'zod';
import { PAGE } from './page.ts';
import { askPatiently, type Api } from './tool.ts';

type Portfolio = components['schemas']['Portfolio'];
type Allowances = components['schemas']['TokenAllowances'];
type Query = Parameters<typeof askPatiently>[2];

/** The most pages that are read for one answer. Each asks about up to 2,000 contracts, and costs five units. */
export const MOST_PAGES = 5;

/** A field of the answers: a note on pages that were not read. */
export const more = z
  .string()
  .nullable()
  .describe('What is left out, where there is more than can be read at once; null where there is not.');

/** Notes where a list has more pages than were read, and where its parts are of two lists; else null. */
export function moreOf(
  { next }: { readonly next: string | null },
  { isOther }: { readonly isOther: boolean },
): string | null {
  const notes = [
    next !== null &&
      `Only the first ${MOST_PAGES} pages were read; there are more. Do not claim that nothing else is there.`,
    isOther &&
      'More or less could be read than for the answer before: entries may be missing here, or be listed twice.',
  ];
  return notes.filter((note) => note !== false).join(' ') || null;
}

/** The scope of a list, for a model: of thousands of contracts it names the first. */
export function scopeOf(asked: Portfolio['asked'] | Allowances['asked']) {
  const unread = { unread: asked.unread.slice(0, PAGE), unread_count: asked.unread.length };
  if ('cut' in asked) return { ...asked, ...unread, cut: asked.cut.slice(0, PAGE) };
  return {
    ...asked,
    ...unread,
    tokens: asked.tokens.slice(0, PAGE),
    token_count: asked.tokens.length,
    unread_reasons: Object.fromEntries(Object.entries(asked.unread_reasons).slice(0, PAGE)),
  };
}

/** Reads a portfolio. Its `next` is null unless there are more pages than are read. */
export async function readPortfolio(api: Api, query: Query): Promise<Portfolio> {
  const pages = await readPages<Portfolio>(api, '/portfolio', query);
  const last = pages.at(-1)!;
  const asked = pages.map((page) => page.asked);
  const reasons = asked.flatMap((one) => Object.entries(one.unread_reasons));
  // A later page has the rest of a contract that was cut.
  const unread = new Map(reasons.filter(([, reason]) => reason !== 'cut' || last.next !== null));
  return {
    ...last,
    tokens: pages.flatMap(({ tokens }) => tokens),
    asked: {
      ...last.asked,
      tokens: [...new Set(asked.flatMap(({ tokens }) => tokens))],
      token_ids: sum(asked.map(({ token_ids }) => token_ids)),
      unread: [...unread.keys()],
      unread_reasons: Object.fromEntries(unread),
    },
  };
}

/** Reads the allowances of an owner. Their `next` is null unless there are more pages than are read. */
export async function readAllowances(api: Api, query: Query): Promise<Allowances> {
  const pages = await readPages<Allowances>(api, '/allowance/list', query);
  const last = pages.at(-1)!;
  const asked = pages.map((page) => page.asked);
  return {
    ...last,
    allowances: pages.flatMap(({ allowances }) => allowances),
    asked: {
      ...last.asked,
      pairs: sum(asked.map(({ pairs }) => pairs)),
      unread: asked.flatMap(({ unread }) => unread),
      cut: last.next === null ? [] : [...new Set(asked.flatMap(({ cut }) => cut))],
    },
  };
}

async function readPages<P extends { readonly next: string | null }>(
  api: Api,
  path: string,
  query: Query,
): Promise<readonly P[]> {
  const pages: P[] = [];
  let cursor: string | undefined;
  do {
    const page = await askPatiently<P>(api, path, { ...query, cursor });
    pages.push(page);
    cursor = page.next ?? undefined;
  } while (cursor !== undefined && pages.length < MOST_PAGES);
  return pages;
}

function sum(counts: readonly number[]): number {
  return counts.reduce((all, one) => all + one, 0);
}
