/**
 * Finds the changes of an account's ether. Nothing names all of them: logs do so for transfers since EIP-7708, never for
 * fees, withdrawals and rewards. So the state is looked at: wei, and the account's nonce, which each transaction of its own
 * raises. Where either differs between two blocks, they are drawn together until they are neighbours.
 *
 * Ether leaves an account without a transaction of its own only where it has code, or had code in between. Since EIP-7708
 * that makes a log, and since EIP-8246 nothing destroys ether. So between two samples that are the same no change is missed
 * after that fork; and before it none of an account without code that has sent a transaction before: its address is that of
 * a key, and whatever gives it code (EIP-7702) raises the nonce.
 */
import { ETHER_LOGS } from '@hindsight/chain/tokens/token-events.ts';
import {
  GAPS_SHARE,
  LOGS_SHARE,
  refuseOtherChain,
  type ChangesDeps,
  type FoundChange,
  type FoundPage,
  type PageSearch,
} from './changes-search.ts';
import { findFirstGaps, gapsIn, type GapOf } from './first-gaps.ts';
import { findTransfers } from './holder-transfers.ts';
import { accountIn, readAtEach } from './outcomes.ts';
import type { Sample } from './state-gaps.ts';

interface EtherSample extends Sample {
  readonly amount: bigint;
  readonly nonce: number;
  readonly hasCode: boolean;
}

/** Samples for a page: some forty changes in a year of blocks. */
const MAX_SAMPLES = 800;

/** Finds the changes of a page. @throws {NodeError} */
export async function findEtherChanges(
  deps: ChangesDeps,
  search: PageSearch,
  signal: AbortSignal,
): Promise<FoundPage> {
  const { holder, from, to, limit } = search;
  const begun = performance.now();
  const logged =
    from.number === to.number ? undefined : await deps.etherLogs.firstIn(from.number + 1, to, signal);
  const deadline = begun + LOGS_SHARE * deps.deadlineMs;
  const found =
    logged === undefined
      ? { blocks: [], through: to.number, isCut: false }
      : await findTransfers(
          deps.logs,
          { token: ETHER_LOGS, holder, from: logged, to, limit, deadline },
          signal,
        );
  const seen: EtherSample[] = [];
  const sample = async (heights: readonly number[]): Promise<readonly EtherSample[]> => {
    const samples = await sampleAt(deps, search, heights, signal);
    seen.push(...samples);
    return samples;
  };
  const named = found.blocks.flatMap(({ number }) => [number - 1, number]);
  // The last block without logs parts what is promised for two reasons.
  const parting = logged === undefined ? from.number : logged - 1;
  const heights = new Set([from.number, parting, ...named, found.through]);
  const samples = await sample([...heights].sort((one, other) => one - other));
  refuseOtherChain(samples, found.blocks, to);
  const splitting = {
    sample,
    isSame,
    isChange: ({ low, high }: GapOf<EtherSample>) => low.amount !== high.amount,
    limit,
    samples: MAX_SAMPLES,
    deadline: begun + (LOGS_SHARE + GAPS_SHARE) * deps.deadlineMs,
  };
  const first = await findFirstGaps(
    gapsIn(samples).filter(({ low, high }) => !isSame(low, high)),
    splitting,
  );
  const exact = first.narrow.filter(splitting.isChange).slice(0, limit);
  // If the time was too short for a single gap, it is reported unsplit: the next page begins after it.
  const stuck = first.narrow.length === 0 ? first.rest : undefined;
  const wide = stuck && splitting.isChange(stuck) ? [stuck] : [];
  const transfers = new Map(found.blocks.map((transfer) => [transfer.number, transfer]));
  const changes = [...exact, ...wide].map((gap): FoundChange => ({
    ...gap,
    transfer: gap === stuck ? undefined : transfers.get(gap.high.block.number),
  }));
  const end = exact[limit - 1]?.high ?? stuck?.high ?? first.rest?.low ?? samples.at(-1)!;
  const isComplete = isEveryChangeKnown(seen, end.block.number, logged ?? Infinity);
  return { changes, end: end.block, isCut: first.isCut || found.isCut, isComplete };
}

/** @param logged the first block whose transfers of ether make logs */
function isEveryChangeKnown(seen: readonly EtherSample[], end: number, logged: number): boolean {
  const samples = [...new Map(seen.map((sample) => [sample.block.number, sample])).values()]
    .filter(({ block }) => block.number <= end)
    .sort((one, other) => one.block.number - other.block.number);
  return gapsIn(samples).every(({ low, high }) => {
    if (high.block.number - low.block.number === 1) return true;
    return isSame(low, high) && (low.block.number + 1 >= logged || (low.nonce > 0 && !low.hasCode));
  });
}

function isSame(one: EtherSample, other: EtherSample): boolean {
  return one.amount === other.amount && one.nonce === other.nonce;
}

async function sampleAt(
  { reader }: ChangesDeps,
  { holder, to }: PageSearch,
  heights: readonly number[],
  signal: AbortSignal,
): Promise<readonly EtherSample[]> {
  const blocks = await reader.findBlocksUpTo(to, heights, signal);
  const items = [{ kind: 'account', target: holder } as const];
  const [results, nonces] = await Promise.all([
    readAtEach(reader, blocks, () => items, signal),
    reader.readNonces(holder, blocks, signal),
  ]);
  return blocks.map((block, i) => {
    const { wei, codeSize } = accountIn(results[i]![0]);
    return { block, amount: wei, nonce: nonces[i]!, hasCode: codeSize > 0 };
  });
}
