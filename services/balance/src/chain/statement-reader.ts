/**
 * Reads the statement of a balance: the state at the ends of its periods, and what events moved in between. What they do not
 * explain is the difference, so that no movement is ever made up.
 */
import { ETHER_LOGS } from '@hindsight/chain/tokens/token-events.ts';
import type { Block } from '@hindsight/chain/state/block.ts';
import { NodeError } from '@hindsight/chain/rpc/node-error.ts';
import { badRequest } from '@hindsight/kernel/errors.ts';
import type { Period, PeriodFlow, StatementQuestion, StatementReading } from '../domain/statement.ts';
import type { ChangesDeps } from './changes-search.ts';
import { eachTransfers, flowOf, type TransferBlock, type TransferSearch } from './holder-transfers.ts';
import { asRead, distinctBlocks, isForGood, resolveEach, resolveHolder } from './ranges.ts';
import { readRowAtBlocks, type RowReading } from './row-at-blocks.ts';
import { factsOverTime, isOfEach, locate } from './series-reader.ts';

/** Part of a request's time for the search of logs: the rest is for reading state. */
const LOGS_SHARE = 0.6;

/** Reads a statement. @throws {ApiError} as `History.statement` */
export async function readStatement(
  deps: ChangesDeps,
  question: StatementQuestion,
  signal: AbortSignal,
): Promise<StatementReading> {
  const { reader } = deps;
  const { token } = question;
  const deadline = performance.now() + LOGS_SHARE * deps.deadlineMs;
  const { blocks, instants } = await locate(deps, question, signal, true);
  const [first, last] = [blocks[0]!, blocks.at(-1)!];
  if (blocks.length === 1)
    throw badRequest('from: it is the end as well; expected the beginning of a period', 'invalid_range');
  const each = isOfEach(question)
    ? await resolveEach(deps, question.holder.name, distinctBlocks(blocks.slice(1)), signal)
    : undefined;
  const holder =
    each?.last ??
    (await resolveHolder(deps, question.holder, { from: first, to: last }, signal, { orEach: true }));
  const runs = each
    ? runsOf(blocks, (block) => each.addresses.get(block.hash))
    : [{ address: holder.address, blocks }];
  const rows: RowReading[] = [];
  for (const run of runs) rows.push(await readRow(deps, token, run, signal));
  const known = runs.findLastIndex(({ address }) => address !== undefined);
  const facts =
    token === null
      ? null
      : await factsOverTime(deps, token, distinctBlocks(runs[known]!.blocks), rows[known]!, signal);
  const type = facts?.tokenType === 'erc721' ? 'erc721' : 'erc20';
  const periods: Period[] = [];
  for (const [at, { address, blocks: own }] of runs.entries()) {
    const flows = openFlows(own, type);
    if (address !== undefined) {
      const range = { holder: address, from: own[0]!.number + 1, to: own.at(-1)!, deadline };
      await searchFlows(deps, { token, ...range }, flows, signal);
    }
    const ends = own.map((block, i) => ({
      instant: instants?.[periods.length + i] ?? null,
      block: asRead(reader, block),
      amount:
        address === undefined
          ? ('no-name' as const)
          : (rows[at]!.amounts.get(block.hash) ?? ('no-balance' as const)),
    }));
    const named = each && { holder: address ?? null };
    periods.push(
      ...ends.slice(1).map((to, i): Period => ({ from: ends[i]!, to, flow: flows.of(i), ...named })),
    );
  }
  const isWhole = periods.every(({ flow, holder: own }) => flow !== null || own === null);
  const isLast = isForGood(reader, last, instants !== null);
  return {
    holder,
    token: facts,
    periods,
    lasting: question.to !== 'latest' && holder.lasting && isWhole && isLast,
  };
}

/** Periods of one address, one after another: the blocks at their ends. */
interface Run {
  /** EIP-55; undefined where a name had none. */
  readonly address: string | undefined;
  readonly blocks: readonly Block[];
}

/** Periods belong to the address at their end: those that follow each other and have the same one are read together. */
function runsOf(blocks: readonly Block[], addressAt: (block: Block) => string | undefined): readonly Run[] {
  const runs: { address: string | undefined; blocks: Block[] }[] = [];
  for (const [i, block] of blocks.slice(1).entries()) {
    const address = addressAt(block);
    const run = runs.at(-1);
    if (run && run.address === address) run.blocks.push(block);
    else runs.push({ address, blocks: [blocks[i]!, block] });
  }
  return runs;
}

async function readRow(
  { reader }: ChangesDeps,
  token: string | null,
  { address, blocks }: Run,
  signal: AbortSignal,
): Promise<RowReading> {
  if (address === undefined) return { amounts: new Map(), factsAtLast: [] };
  return readRowAtBlocks(reader, { token, holder: address }, distinctBlocks(blocks), signal);
}

type FlowSearch = Omit<TransferSearch, 'token'> & { readonly token: string | null };

/** Adds all events of a range, as far as time allows. @throws {NodeError} */
async function searchFlows(
  { logs, etherLogs }: ChangesDeps,
  { token, holder, from, to, deadline }: FlowSearch,
  flows: Flows,
  signal: AbortSignal,
): Promise<void> {
  if (from > to.number) return flows.searched(to.number);
  const begin = token === null ? await etherLogs.firstIn(from, to, signal) : from;
  // Before EIP-7708 ether makes no logs, so that there are none to search.
  if (begin === undefined) return flows.searched(to.number);
  flows.searched(begin - 1);
  const search = { token: token ?? ETHER_LOGS, holder, from: begin, to, deadline };
  for await (const { blocks, through } of eachTransfers(logs, search, signal)) {
    for (const block of blocks) flows.add(block);
    flows.searched(through);
  }
}

type Flows = ReturnType<typeof openFlows>;

/** The sums of each period, and how far they are known. @param ends ascending: a period is after one and up to the next */
function openFlows(ends: readonly Block[], type: 'erc20' | 'erc721') {
  const sums = ends.slice(1).map(() => ({ in: 0n, out: 0n, transfers: 0 }));
  const hashes = new Map(ends.map(({ number, hash }) => [number, hash]));
  let known = -1;

  /** Periods may be empty, so the first that ends at the block or after it. */
  function periodOf(height: number): number {
    let [low, high] = [0, sums.length - 1];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if (ends[middle + 1]!.number >= height) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  return {
    /** @throws {NodeError} where an event is of another chain than the state */
    add({ number, hash, movements }: TransferBlock): void {
      if ((hashes.get(number) ?? hash) !== hash)
        throw new NodeError('unknown-block', `block ${number} was reorganised away`);
      const sum = sums[periodOf(number)];
      if (sum === undefined) throw new RangeError('an event is not in any period');
      const added = flowOf(movements, type);
      sum.in += added.in;
      sum.out += added.out;
      sum.transfers += added.transfers;
    },
    /** All events up to this block are added. */
    searched(through: number): void {
      known = Math.max(known, through);
    },
    /** The sums of a period; null where not all of its events are known. */
    of: (period: number): PeriodFlow | null => (ends[period + 1]!.number <= known ? sums[period]! : null),
  };
}
