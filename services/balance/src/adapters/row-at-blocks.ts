/** One balance at many blocks of one network: what a series, or a search for changes, is made from. */
import type { Block } from '@hindsight/chain/state/block.ts';
import type {
  CallItem,
  CallResult,
  MulticallItem,
  MulticallResult,
} from '@hindsight/chain/state/multicall/multicall.ts';
import type { ChainReader } from '@hindsight/chain/state/reader.ts';
import { balanceOfCall, readUint, tokenFactsItems } from '@hindsight/chain/tokens/token-facts.ts';

/** Plain calls at once. */
const ALONE_AT_ONCE = 8;

/** Whose balance of what: EIP-55 addresses; a token of null is the native coin. */
export interface BalanceRow {
  readonly token: string | null;
  readonly holder: string;
}

/** What was read at one block. */
export type RowAmount = bigint | 'no-contract' | 'no-balance';

/** A row's amounts, and the answers to `tokenFactsItems` at the last block. */
export interface RowReading {
  /** By block hash. */
  readonly amounts: ReadonlyMap<string, RowAmount>;
  /** Empty for the native coin. */
  readonly factsAtLast: readonly MulticallResult[];
}

/**
 * Reads the row at each of the blocks, several blocks a request.
 * @param blocks no block twice; at the last one the token's facts are asked for too
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
    const results = await readEach(reader, blocks, () => [{ kind: 'wei', target: holder }], signal);
    blocks.forEach(({ hash }, i) => amounts.set(hash, weiIn(results[i]?.[0])));
    return { amounts, factsAtLast: [] };
  }
  const call = balanceOfCall(token, holder);
  const facts = tokenFactsItems(token);
  const last = blocks.at(-1);
  // The first of the facts is the contract's account.
  const itemsAt = (block: Block): MulticallItem[] => [call, ...(block === last ? facts : facts.slice(0, 1))];
  const results = await readEach(reader, blocks, itemsAt, signal);
  const failed: Block[] = [];
  blocks.forEach((block, i) => {
    const [balance, account] = results[i] ?? [];
    const amount = readUint(balance as CallResult | undefined);
    if (account?.status === 'account' && account.codeSize === 0) amounts.set(block.hash, 'no-contract');
    else amounts.set(block.hash, amount ?? 'no-balance');
    if (balance?.status === 'failed') failed.push(block);
  });
  await readAlone(reader, call, failed, amounts, signal);
  return { amounts, factsAtLast: results.at(-1)?.slice(1) ?? [] };
}

/**
 * Asks again as a plain eth_call would where the contract failed; at one block first, since most contracts that do so
 * have no answer to that either.
 */
async function readAlone(
  reader: ChainReader,
  call: CallItem,
  [first, ...others]: readonly Block[],
  amounts: Map<string, RowAmount>,
  signal: AbortSignal,
): Promise<void> {
  if (first === undefined) return;
  const ask = async (blocks: readonly Block[]): Promise<void> => {
    const results = await Promise.all(blocks.map((block) => reader.readPlainly(block, [call], signal)));
    blocks.forEach(({ hash }, i) => {
      const amount = readUint(results[i]?.[0] as CallResult | undefined);
      if (amount !== undefined) amounts.set(hash, amount);
    });
  };
  await ask([first]);
  if (typeof amounts.get(first.hash) !== 'bigint') return;
  for (let from = 0; from < others.length; from += ALONE_AT_ONCE) {
    await ask(others.slice(from, from + ALONE_AT_ONCE));
  }
}

async function readEach(
  reader: ChainReader,
  blocks: readonly Block[],
  itemsAt: (block: Block) => readonly MulticallItem[],
  signal: AbortSignal,
): Promise<readonly (readonly MulticallResult[])[]> {
  const outcomes = await reader.readEach(
    blocks.map((block) => ({ block, items: itemsAt(block) })),
    signal,
  );
  return outcomes.map((outcome) => {
    if ('error' in outcome) throw outcome.error;
    return outcome.results;
  });
}

function weiIn(result: MulticallResult | undefined): bigint {
  if (result?.status !== 'wei') throw new TypeError('an amount of wei was asked for');
  return result.wei;
}
