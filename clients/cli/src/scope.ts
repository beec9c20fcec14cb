/** The scope of a wallet's list: what was asked on all of its pages, and what gave no answer. */
import type { AllowanceList, Portfolio } from '@hindsight/client';
import { note, type Context } from './context.ts';

/** The most contracts that a note names. */
const MOST_NAMED = 5;

/** Merges the scopes of all pages of a portfolio. @param pages at least one, up to the last */
export function holdingsAsked(pages: readonly Portfolio[]): Portfolio['asked'] {
  const asked = pages.map((page) => page.asked);
  // A later page has the rest of a contract that was cut.
  const reasons = asked.flatMap((one) => Object.entries(one.unread_reasons));
  const unread = new Map(reasons.filter(([, reason]) => reason !== 'cut'));
  return {
    ...asked.at(-1)!,
    tokens: [...new Set(asked.flatMap(({ tokens }) => tokens))],
    token_ids: sum(asked.map(({ token_ids }) => token_ids)),
    unread: [...unread.keys()],
    unread_reasons: Object.fromEntries(unread),
  };
}

/** Merges the scopes of all pages of a list of allowances. @param pages at least one, up to the last */
export function allowancesAsked(pages: readonly AllowanceList[]): AllowanceList['asked'] {
  const asked = pages.map((page) => page.asked);
  return {
    ...asked.at(-1)!,
    pairs: sum(asked.map(({ pairs }) => pairs)),
    unread: asked.flatMap(({ unread }) => unread),
    // The later pages have the rest.
    cut: [],
  };
}

/** Tells which contracts gave no answer: nothing is known of them. */
export function noteUnread(context: Context, contracts: readonly string[]): void {
  const named = [...new Set(contracts)];
  if (named.length === 0) return;
  const more = named.length > MOST_NAMED ? ` and ${named.length - MOST_NAMED} more` : '';
  note(context, `not known, they gave no answer: ${named.slice(0, MOST_NAMED).join(', ')}${more}`);
}

/** A note on the candidates that an answer covers. */
export function sourceOf(asked: { readonly from_block: number; readonly complete: boolean }): string {
  const since = `logs since block ${asked.from_block}`;
  return asked.complete ? since : `${since} only: older ones were not searched`;
}

function sum(counts: readonly number[]): number {
  return counts.reduce((all, one) => all + one, 0);
}
