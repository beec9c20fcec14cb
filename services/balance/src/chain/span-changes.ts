/** Finds the changes of a page: of one address, or of the addresses that a name meant in turn. */
import type { Block } from '@hindsight/chain/state/block.ts';
import type { ChangesDeps, FoundChange, FoundPage } from './changes-search.ts';
import { findEtherChanges } from './ether-changes.ts';
import type { NameSpan } from './name-spans.ts';
import { findTokenChanges } from './token-changes.ts';

/** Part of a request's time that must be left to begin another span. */
const LEAST_LEFT = 0.4;

export interface HolderChange extends FoundChange {
  /** EIP-55. */
  readonly holder: string;
}

/** Result of the search. `changes` fit on the page. */
interface FoundSpans extends Omit<FoundPage, 'changes'> {
  readonly changes: readonly HolderChange[];
}

interface SpansSearch {
  /** EIP-55; null for ether. */
  readonly token: string | null;
  readonly limit: number;
}

/** Finds the changes of spans in order, as many as fit on a page and can be found in time. @throws {NodeError} */
export async function findSpanChanges(
  deps: ChangesDeps,
  spans: readonly [NameSpan, ...NameSpan[]],
  { token, limit }: SpansSearch,
  signal: AbortSignal,
): Promise<FoundSpans> {
  const begun = performance.now();
  const changes: HolderChange[] = [];
  const pages: FoundPage[] = [];
  let [end, isCut]: [Block, boolean] = [spans[0].after, false];
  for (const { address, after: from, through: to } of spans) {
    const deadlineMs = deps.deadlineMs - (performance.now() - begun);
    isCut ||= pages.length > 0 && deadlineMs < LEAST_LEFT * deps.deadlineMs;
    const room = limit - changes.length;
    if (isCut || room === 0) break;
    end = to;
    if (address === null) continue;
    const search = { holder: address, from, to, limit: room };
    const within = { ...deps, deadlineMs };
    const page =
      token === null
        ? await findEtherChanges(within, search, signal)
        : await findTokenChanges(within, { ...search, token }, signal);
    pages.push(page);
    changes.push(...page.changes.slice(0, room).map((change) => ({ ...change, holder: address })));
    isCut = page.isCut;
    end = page.changes.length > room ? page.changes[room - 1]!.high.block : page.end;
    if (end.number < to.number) break;
  }
  return {
    changes,
    end,
    isCut,
    heldAt: pages.findLast(({ heldAt }) => heldAt !== undefined)?.heldAt,
    how: pages.some(({ how }) => how === 'logs') ? 'logs' : pages.at(-1)?.how,
    isComplete: token === null ? pages.every(({ isComplete }) => isComplete) : undefined,
  };
}
