/** Reads the values of a view over time. */
import type { Block } from '@hindsight/chain/state/block.ts';
import type { ChainReader } from '@hindsight/chain/state/reader.ts';
import type { CallSeriesQuestion, CallSeriesReading } from '../domain/call/call-series.ts';
import type { CallRow } from '../domain/call/call.ts';
import { lacksCode, readAtEach } from './outcomes.ts';
import { asRead, distinctBlocks, resolveHolder, type RangeDeps } from './ranges.ts';
import { locate } from './series-reader.ts';
import { callView } from './view-calls.ts';

/** Reads a series of calls. @throws {ApiError} as `History.callSeries` */
export async function readCallSeries(
  deps: RangeDeps,
  question: CallSeriesQuestion,
  signal: AbortSignal,
): Promise<CallSeriesReading> {
  const { reader } = deps;
  const { called, data } = question;
  const { blocks, instants } = await locate(deps, question, signal);
  const range = { from: blocks[0]!, to: blocks.at(-1)! };
  const target = await resolveHolder(deps, question.target, range, signal, { field: 'target' });
  const distinct = distinctBlocks(blocks);
  const rows = distinct.map((block) => ({ block, data }));
  const outcomes = await callView(reader, { target: target.address, called, rows }, signal);
  const silent = distinct.filter((_, i) => isSilent(outcomes[i]!));
  const absent = await withoutCode(reader, target.address, silent, signal);
  const byHash = new Map(distinct.map(({ hash }, i) => [hash, outcomes[i]!]));
  const points = blocks.map((block, i) => ({
    block: asRead(reader, block),
    instant: instants?.[i] ?? null,
    outcome: absent.has(block.hash) ? ('no-contract' as const) : byHash.get(block.hash)!,
  }));
  return { target, points };
}

/** True for the answer of an address without code, which contracts may give as well. */
function isSilent(row: CallRow): boolean {
  return 'values' in row
    ? row.values.length === 0
    : 'error' in row && row.error.code === 'call_answer_mismatch';
}

/** The hashes of those blocks at which there is no code at an address. */
async function withoutCode(
  reader: ChainReader,
  target: string,
  blocks: readonly Block[],
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  const items = [{ kind: 'account', target } as const];
  const results = await readAtEach(reader, blocks, () => items, signal);
  const absent = blocks.filter((_, i) => lacksCode(results[i]![0]));
  return new Set(absent.map(({ hash }) => hash));
}
