/** One balance at many blocks of one network: what a series, or a search for changes, is made from. */
import type { Block } from '@hindsight/chain/state/block.ts';
import type { CallItem, MulticallItem, MulticallResult } from '@hindsight/chain/state/multicall/multicall.ts';
import { valueOf } from '@hindsight/chain/state/multicall/column.ts';
import type { ChainReader } from '@hindsight/chain/state/reader.ts';
import { balanceOfCall, readUint, tokenFactsItems } from '@hindsight/chain/tokens/token-facts.ts';
import { partsOf } from '@hindsight/kernel/parts.ts';
import { lacksCode, readAtEach, weiIn } from './outcomes.ts';
import { someOf } from './ranges.ts';

/** Concurrent plain calls, one for each block. */
const PLAIN_AT_ONCE = 16;
/** Of the blocks at which a call failed in the same way, this number shows whether any may have an answer. */
const MAX_TRIALS = 32;

/** A holder and a token, EIP-55; null for the native coin. */
export interface BalanceRow {
  readonly token: string | null;
  /** By block hash where it is not the same one at all blocks. */
  readonly holder: string | ReadonlyMap<string, string>;
}

/** Result of a row at one block. `not-asked`: it failed for want of gas, and was not repeated as none of many others had an answer. */
type RowAmount = bigint | 'no-contract' | 'no-balance' | 'not-asked';

/** A row's amounts, and the answers to `tokenFactsItems` at the last block. */
export interface RowReading {
  /** By block hash. */
  readonly amounts: ReadonlyMap<string, RowAmount>;
  /** Empty for the native coin. */
  readonly factsAtLast: readonly MulticallResult[];
}

/**
 * Reads the row at each of the blocks, several blocks a request.
 * @param blocks no block twice; the last one is read together with the token's facts
 * @throws {NodeError} when no node answers, or none has the state of one of the blocks
 */
export async function readRowAtBlocks(
  reader: ChainReader,
  { token, holder }: BalanceRow,
  blocks: readonly Block[],
  signal: AbortSignal,
): Promise<RowReading> {
  const amounts = new Map<string, RowAmount>();
  if (token === null) {
    const wei = (block: Block): MulticallItem[] => [{ kind: 'wei', target: holderAt(holder, block) }];
    const results = await readAtEach(reader, blocks, wei, signal);
    blocks.forEach(({ hash }, i) => amounts.set(hash, weiIn(results[i]?.[0])));
    return { amounts, factsAtLast: [] };
  }
  const callAt = (block: Block): CallItem => balanceOfCall(token, holderAt(holder, block));
  const facts = tokenFactsItems(token);
  const last = blocks.at(-1);
  // The first of the facts is the contract's account.
  const itemsAt = (block: Block): MulticallItem[] => [
    callAt(block),
    ...(block === last ? facts : facts.slice(0, 1)),
  ];
  const results = await readAtEach(reader, blocks, itemsAt, signal);
  const [burnt, reverted]: [Block[], Block[]] = [[], []];
  blocks.forEach((block, i) => {
    const [balance, account] = results[i] ?? [];
    const amount = readUint(balance);
    if (lacksCode(account)) amounts.set(block.hash, 'no-contract');
    else amounts.set(block.hash, amount ?? 'no-balance');
    if (balance?.status === 'failed')
      (valueOf(balance, callAt(block)) === 'burnt' ? burnt : reverted).push(block);
  });
  // A revert with gas left is mostly the contract's answer; of others there may be one.
  await callDirectly(reader, callAt, reverted, amounts, signal);
  for (const { hash } of await callDirectly(reader, callAt, burnt, amounts, signal))
    amounts.set(hash, 'not-asked');
  return { amounts, factsAtLast: results.at(-1)?.slice(1) ?? [] };
}

/**
 * Asks again as a plain eth_call would: some contracts need more gas, write to their storage when they are read, or refuse
 * contracts as callers. Most have no answer for such a call either: those are tried at some blocks, from the first to the last,
 * as a contract may change.
 * @returns the blocks that were not asked about, as none of these had an answer
 */
async function callDirectly(
  reader: ChainReader,
  callAt: (block: Block) => CallItem,
  blocks: readonly Block[],
  amounts: Map<string, RowAmount>,
  signal: AbortSignal,
): Promise<readonly Block[]> {
  let isAnswered = false;
  const ask = async (all: readonly Block[]): Promise<void> => {
    for (const part of partsOf(all, PLAIN_AT_ONCE)) {
      const asked = part.map(async (block) => {
        const [result] = await reader.callDirectly(block, [callAt(block)], signal);
        const amount = readUint(result);
        if (amount === undefined) return;
        isAnswered = true;
        amounts.set(block.hash, amount);
      });
      await Promise.all(asked);
    }
  };
  const { some, others } = someOf(blocks, MAX_TRIALS);
  await ask(some);
  if (!isAnswered) return others;
  await ask(others);
  return [];
}

function holderAt(holder: BalanceRow['holder'], block: Block): string {
  return typeof holder === 'string' ? holder : holder.get(block.hash)!;
}
