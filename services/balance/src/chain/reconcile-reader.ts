/** Holds booked balances against the chain, and finds what happened where they first differ. */
import type { Block } from '@hindsight/chain/state/block.ts';
import { NodeError } from '@hindsight/chain/rpc/node-error.ts';
import type { ReadBlock } from '../domain/pinned.ts';
import type {
  BookedRow,
  CheckedRow,
  Divergence,
  ReconcileQuestion,
  ReconcileReading,
} from '../domain/reconcile.ts';
import { balanceOf } from '../domain/series.ts';
import { readChanges } from './changes-reader.ts';
import type { ChangesDeps } from './changes-search.ts';
import { asRead, bounded, distinctBlocks, resolveHolder, type RangeDeps } from './ranges.ts';
import { readRowAtBlocks } from './row-at-blocks.ts';
import { factsOverTime } from './series-reader.ts';

/** Changes that are listed where the books first differ. */
const MAX_CHANGES = 100;
/** Part of what is left of a request's time for finding them. */
const SEARCH_SHARE = 0.9;

/** Reads where books and chain differ. @throws {ApiError} as `History.reconcile` */
export async function reconcile(
  deps: ChangesDeps,
  question: ReconcileQuestion,
  signal: AbortSignal,
): Promise<ReconcileReading> {
  const begun = performance.now();
  const { reader } = deps;
  const { token } = question;
  const blocks = await findBlocks(deps, question.rows, signal);
  const distinct = distinctBlocks(blocks).toSorted((one, other) => one.number - other.number);
  const [first, last] = [distinct[0]!, distinct.at(-1)!];
  const holder = await resolveHolder(deps, question.holder, { from: first, to: last }, signal);
  const row = await readRowAtBlocks(reader, { token, holder: holder.address }, distinct, signal);
  const facts = token === null ? null : await factsOverTime(deps, token, distinct, row, signal);
  const rows = question.rows.map(({ balance }, i): CheckedRow => {
    const block = blocks[i]!;
    const amount = balanceOf(row.amounts.get(block.hash));
    return { block: asRead(reader, block), booked: balance, amount };
  });
  const found = findDivergence(rows);
  if (found === null) return { holder, token: facts, rows, first: null };
  const left = deps.deadlineMs - (performance.now() - begun);
  const within = { ...deps, deadlineMs: SEARCH_SHARE * left };
  const account = { token, holder: holder.address };
  return { holder, token: facts, rows, first: await explain(within, account, found, signal) };
}

/** The block of each row. @throws {ApiError} 404 for one that is not there */
async function findBlocks(
  { reader, dates }: RangeDeps,
  rows: readonly BookedRow[],
  signal: AbortSignal,
): Promise<readonly Block[]> {
  const heights = ascending(rows.flatMap(({ when }) => ('height' in when ? [when.height] : [])));
  // The chain must have reached the last one.
  const highest = heights.at(-1);
  if (highest !== undefined) await bounded('rows', reader.findBlock(highest, signal));
  const moments = ascending(rows.flatMap(({ when }) => ('date' in when ? [when.date] : [])));
  const [ofHeights, ofMoments] = await Promise.all([
    reader.findBlocks(heights, signal),
    bounded('rows', moments.length === 0 ? Promise.resolve([]) : dates.findBlocksAt(moments, signal)),
  ]);
  const byHeight = new Map(heights.map((height, i) => [height, ofHeights[i]!]));
  const byMoment = new Map(moments.map((moment, i) => [moment, ofMoments[i]!]));
  return rows.map(({ when }) => ('height' in when ? byHeight.get(when.height)! : byMoment.get(when.date)!));
}

function ascending(numbers: readonly number[]): readonly number[] {
  return [...new Set(numbers)].sort((one, other) => one - other);
}

interface Found {
  readonly after: ReadBlock | null;
  readonly by: ReadBlock;
  readonly difference: bigint;
}

/** The first row, by its block, whose balance is known and is another one. */
function findDivergence(rows: readonly CheckedRow[]): Found | null {
  const inOrder = rows.toSorted((one, other) => one.block.number - other.block.number);
  const at = inOrder.findIndex(({ booked, amount }) => amount !== null && amount !== booked);
  const wrong = inOrder[at];
  if (wrong?.amount === undefined || wrong.amount === null) return null;
  const right = inOrder.findLast(
    ({ block, booked, amount }) => block.number < wrong.block.number && amount === booked,
  );
  return { after: right?.block ?? null, by: wrong.block, difference: wrong.amount - wrong.booked };
}

async function explain(
  deps: ChangesDeps,
  { token, holder }: { readonly token: string | null; readonly holder: string },
  found: Found,
  signal: AbortSignal,
): Promise<Divergence> {
  const { after, by } = found;
  if (after === null) return { ...found, changes: [], isComplete: false };
  const range = { from: { height: after.number }, to: { height: by.number } };
  const question = {
    ...{ token, holder: { address: holder }, ...range, limit: MAX_CHANGES },
    ...{ resolve: 'once' as const, cursor: undefined },
  };
  const page = await readChanges(deps, question, signal);
  if (page.from.hash !== after.hash || page.to.hash !== by.hash)
    throw new NodeError('unknown-block', `block ${by.number} was reorganised away`);
  const areExact = page.changes.every(({ afterBlock, block }) => block.number === afterBlock + 1);
  const isComplete = page.next === null && areExact && page.isComplete !== false;
  return { ...found, changes: page.changes, isComplete };
}
