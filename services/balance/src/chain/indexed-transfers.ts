/** The blocks in which events of a token concern a holder, by the index where it has them. */
import { NodeError } from '@hindsight/chain/rpc/node-error.ts';
import type { Block } from '@hindsight/chain/state/block.ts';
import type { ChangesDeps } from './changes-search.ts';
import type { Indexed } from './event-index.ts';
import {
  blocksOf,
  filtersOf,
  findTransfers,
  type HolderTransfers,
  type TransferBlock,
  type TransferSearch,
} from './holder-transfers.ts';
import { lacksCode, readAtEach } from './outcomes.ts';
import { evenly } from './ranges.ts';

type Search = TransferSearch & { readonly limit: number };

/** Blocks with events, and the way in which they were found. */
export interface NamedTransfers extends HolderTransfers {
  readonly how: 'index' | 'logs';
}

/** As `findTransfers`; only the blocks that the index names are read, and those after its end are searched. @throws {NodeError} */
export async function findNamedTransfers(
  deps: ChangesDeps,
  search: Search,
  signal: AbortSignal,
): Promise<NamedTransfers> {
  const { token, holder, from, to, limit } = search;
  const asked = { token, holder, from, limit: limit + 1 };
  const indexed = await deps.index?.blocks(asked, to, signal);
  const found =
    indexed !== undefined && (await isCovered(deps, search, indexed, signal))
      ? await readNamed(deps, search, indexed, signal)
      : undefined;
  if (found !== undefined) return { ...found, how: 'index' };
  return { ...(await findTransfers(deps.logs, search, signal)), how: 'logs' };
}

/** Heights before the index at which a token is looked for. */
const LOOKS = 8;

/**
 * True if the token had no code at some heights from the beginning of the search to that of the index, so that it has no
 * events there, unless it was made and destroyed between two of them.
 */
async function isCovered(
  { reader }: ChangesDeps,
  { token, from }: Search,
  indexed: Indexed<number>,
  signal: AbortSignal,
): Promise<boolean> {
  if (indexed.from <= from) return true;
  try {
    const items = [{ kind: 'account', target: token } as const];
    const blocks = await reader.findBlocks(evenly(from - 1, indexed.from - 1, LOOKS), signal);
    const results = await readAtEach(reader, blocks, () => items, signal);
    return results.every(([account]) => lacksCode(account));
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof NodeError) return false;
    throw error;
  }
}

/** Undefined where the nodes do not have what the index has seen, or not in the topics of its events. */
async function readNamed(
  { logs, reader }: ChangesDeps,
  search: Search,
  { rows, end }: Indexed<number>,
  signal: AbortSignal,
): Promise<HolderTransfers | undefined> {
  const { token, holder, from, to, limit, deadline } = search;
  const named = await reader.findBlocksUpTo(to, rows.slice(0, limit), signal);
  const blocks: TransferBlock[] = [];
  for await (const part of logs.searchBlocks(filtersOf(token, holder), named, { deadline, signal }))
    blocks.push(...blocksOf(part.logs, holder));
  if (blocks.some(({ hash }, i) => hash !== named[i]?.hash)) return undefined;
  const beyond = rows[limit];
  if (blocks.length < named.length) return ended(blocks, named, deadline);
  if (beyond !== undefined) return { blocks, through: beyond - 1, isCut: false };
  if (end >= to.number) return { blocks, through: to.number, isCut: false };
  const rest = { ...search, from: Math.max(from, end + 1), limit: limit - blocks.length };
  const newer = await findTransfers(logs, rest, signal);
  return { ...newer, blocks: [...blocks, ...newer.blocks] };
}

/** Blocks that were read before the time was up; undefined if it was not, or none was. */
function ended(
  blocks: readonly TransferBlock[],
  named: readonly Block[],
  deadline: number,
): HolderTransfers | undefined {
  const next = named[blocks.length];
  if (next === undefined || blocks.length === 0 || performance.now() < deadline) return undefined;
  return { blocks, through: next.number - 1, isCut: true };
}
