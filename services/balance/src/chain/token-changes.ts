/**
 * Finds the changes of a token's balance. Events name the blocks in which it may have changed; the balance is read at each of
 * them and at the block before. Where it differs between one such block and the next, it has changed without an event:
 * those blocks are halved to find where, within bounds.
 */
import type { Block } from '@hindsight/chain/state/block.ts';
import { balanceOf } from '../domain/series.ts';
import {
  GAPS_SHARE,
  LOGS_SHARE,
  refuseOtherChain,
  type ChangesDeps,
  type FoundChange,
  type FoundPage,
  type PageSearch,
} from './changes-search.ts';
import { gapsIn } from './first-gaps.ts';
import type { TransferBlock } from './holder-transfers.ts';
import { findNamedTransfers, type NamedTransfers } from './indexed-transfers.ts';
import { readRowAtBlocks, type BalanceRow } from './row-at-blocks.ts';
import { isSame, narrow, takeGaps, type Gap, type Sample } from './state-gaps.ts';

interface TokenSearch extends PageSearch {
  /** EIP-55. */
  readonly token: string;
}

/** Finds the changes of a page. @throws {NodeError} */
export async function findTokenChanges(
  deps: ChangesDeps,
  { token, holder, from, to, limit }: TokenSearch,
  signal: AbortSignal,
): Promise<FoundPage> {
  const deadline = performance.now() + LOGS_SHARE * deps.deadlineMs;
  const search = { token, holder, from: from.number + 1, to, limit, deadline };
  const found: NamedTransfers =
    from.number === to.number
      ? { blocks: [], through: to.number, isCut: false, how: 'logs' }
      : await findNamedTransfers(deps, search, signal);
  const { blocks: transfers, through } = found;
  const heights = new Set([from.number, ...transfers.flatMap(({ number }) => [number - 1, number]), through]);
  const sample = (at: readonly number[]): Promise<readonly Sample[]> =>
    sampleAt(deps, { row: { token, holder }, to }, at, signal);
  const samples = await sample([...heights].sort((one, other) => one - other));
  refuseOtherChain(samples, transfers, to);
  const held = samples.findLast(({ amount }) => amount !== null && amount > 0n);
  const changes = await findChanges(samples, transfers, sample, GAPS_SHARE * deps.deadlineMs);
  return { ...changes, isCut: changes.isCut || found.isCut, heldAt: held?.block, how: found.how };
}

/** The balances of a row at heights up to a block. @throws {NodeError} */
export async function sampleAt(
  { reader }: ChangesDeps,
  { row, to }: { readonly row: BalanceRow; readonly to: Block },
  heights: readonly number[],
  signal: AbortSignal,
): Promise<readonly Sample[]> {
  const blocks = await reader.findBlocksUpTo(to, heights, signal);
  const { amounts } = await readRowAtBlocks(reader, row, blocks, signal);
  return blocks.map((block) => ({ block, amount: balanceOf(amounts.get(block.hash)) }));
}

async function findChanges(
  samples: readonly Sample[],
  transfers: readonly TransferBlock[],
  sample: (heights: readonly number[]) => Promise<readonly Sample[]>,
  gapsMs: number,
): Promise<FoundPage> {
  const byNumber = new Map(transfers.map((transfer) => [transfer.number, transfer]));
  const changes: FoundChange[] = [];
  const gaps: Gap[] = [];
  for (const gap of gapsIn(samples)) {
    const transfer = byNumber.get(gap.high.block.number);
    // Only an event shows a change where a balance cannot be read.
    const isUnknown = transfer !== undefined && (gap.low.amount === null || gap.high.amount === null);
    if (isSame(gap.low, gap.high) && !isUnknown) continue;
    if (transfer) changes.push({ ...gap, transfer });
    else gaps.push(gap);
  }
  const { now, later } = takeGaps(gaps);
  const narrowed = await narrow(now, sample, performance.now() + gapsMs);
  changes.push(...narrowed.gaps.map((gap) => ({ ...gap, transfer: undefined })));
  changes.sort((one, other) => one.high.block.number - other.high.block.number);
  const end = (later?.low ?? samples.at(-1)!).block;
  const isBefore = ({ high }: Gap): boolean => high.block.number <= end.number;
  return { changes: changes.filter(isBefore), end, isCut: narrowed.isCut };
}
