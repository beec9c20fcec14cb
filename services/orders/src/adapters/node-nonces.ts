import { LogSearch } from '@hindsight/chain/logs/log-search.ts';
import type { Log } from '@hindsight/chain/logs/log.ts';
import { wordToBigInt } from '@hindsight/chain/rpc/hex.ts';
import { NodeError } from '@hindsight/chain/rpc/node-error.ts';
import type { Block } from '@hindsight/chain/state/block.ts';
import { KnownBlocks } from '@hindsight/chain/state/known-blocks.ts';
import type { CallItem } from '@hindsight/chain/state/multicall/multicall.ts';
import { ChainReader } from '@hindsight/chain/state/reader.ts';
import { PERMIT2 } from '@hindsight/chain/tokens/permit2.ts';
import type { Clock } from '@hindsight/kernel/clock.ts';
import { partsOf } from '@hindsight/kernel/parts.ts';
import { isBitSet, wordOfNonce, type OrderTerms } from '../domain/ending.ts';
import { ORDER_TOPICS, readOrderLog, type OrderLog } from '../domain/order-logs.ts';
import { wordsOf } from '../domain/words.ts';
import type { NonceReader, NonceSearch } from '../ports.ts';
import { bisect, type BlockRange } from './bisect.ts';
import type { OrderNetwork } from './contract-signatures.ts';

/** `nonceBitmap(address,uint256)` of Permit2, src/SignatureTransfer.sol. */
const NONCE_BITMAP = '4fe02b44';
/** For one read of storage. */
const GAS = 50_000;
/** Blocks whose events are read before their orders are settled. */
const LOGS_AT_ONCE = 25;
const LOGS_WITHIN_MS = 20_000;

/** Reads the nonces of a network's orders, each answer pinned to its block by hash. */
export function createNodeNonces({ node, network }: OrderNetwork, clock: Clock): NonceReader {
  const known = new KnownBlocks(clock);
  const reader = new ChainReader({ node, network, clock, known });
  const search = new LogSearch({ node, known, clock });
  /** Permit2 is younger than these on every chain. */
  const lowest = Math.max(network.firstBlock ?? 0, network.byzantiumBlock);

  /** The bit of each order at its block; undefined where no node has the state of that block. */
  async function readBits(reads: readonly NonceRead[], signal: AbortSignal): Promise<readonly Bit[]> {
    const keys = reads.map(({ block, order }) => `${block.hash}${dataOf(order)}`);
    const asked = new Map(keys.map((key, at) => [key, reads[at]!]));
    const outcomes = await reader.readEach(
      [...asked.values()].map(({ block, order }) => ({ block, items: [callOf(order)] })),
      signal,
    );
    const words = new Map([...asked.keys()].map((key, at) => [key, wordIn(outcomes[at]!, node.label)]));
    return keys.map((key, at) => {
      const word = words.get(key);
      return word === undefined ? undefined : isBitSet(word, reads[at]!.order.nonce);
    });
  }

  /** The events of some blocks, by block. @param blocks ascending */
  async function logsOf(
    blocks: readonly Block[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<number, readonly OrderLog[]>> {
    const filters = [{ topics: [Object.values(ORDER_TOPICS)] }];
    const deadline = performance.now() + LOGS_WITHIN_MS;
    const found: OrderLog[] = [];
    let read = 0;
    for await (const { to, logs } of search.searchBlocks(filters, blocks, { deadline, signal })) {
      found.push(...logs.map(toOrderLog).filter((log) => log !== undefined));
      read = to;
    }
    const last = blocks.at(-1)!.number;
    if (read < last)
      throw new NodeError('timeout', `${node.label} took too long for the logs up to block ${last}`);
    return Map.groupBy(found, ({ block }) => block);
  }

  /** For each search a block with the bit clear, and one with it set; undefined where no node has the state of the former. */
  async function rangesOf(
    searches: readonly NonceSearch[],
    set: Block,
    signal: AbortSignal,
  ): Promise<(BlockRange | undefined)[]> {
    const unknown = searches.filter(({ clearAt }) => clearAt === null);
    const oldest = unknown.length === 0 ? undefined : await oldestBelow(set, signal);
    const reads = oldest === undefined ? [] : unknown.map(({ order }) => ({ block: oldest, order }));
    const bits = await readBits(reads, signal);
    const clear = new Set(unknown.filter((_, at) => bits[at] === false));
    return searches.map((one) => {
      const low = clear.has(one) ? oldest!.number : one.clearAt;
      return low === null ? undefined : { low, high: set.number };
    });
  }

  /** The oldest block that nodes have, if it is below another one. */
  async function oldestBelow(block: Block, signal: AbortSignal): Promise<Block | undefined> {
    const height = Math.max(lowest, (await search.firstBlock(signal)).number);
    return height < block.number ? (await blocksAt([height], signal)).get(height) : undefined;
  }

  async function blocksAt(
    heights: readonly number[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<number, Block>> {
    const blocks = await reader.findBlocks(heights, signal);
    return new Map(blocks.map((block) => [block.number, block]));
  }

  return {
    async areSet(block, orders, signal) {
      const bits = await readBits(
        orders.map((order) => ({ block, order })),
        signal,
      );
      return bits.map((isSet) => {
        if (isSet !== undefined) return isSet;
        throw new NodeError('missing-state', `no node has the state of block ${block.number}`);
      });
    },
    async *whenSet(searches, set, signal) {
      const wide = await rangesOf(searches, set, signal);
      const ranges = await bisect(wide, async (looks) => {
        const blocks = await blocksAt(
          looks.map(({ height }) => height),
          signal,
        );
        return readBits(
          looks.map(({ at, height }) => ({ block: blocks.get(height)!, order: searches[at]!.order })),
          signal,
        );
      });
      const found = [...ranges.entries()].flatMap(([at, range]) => (range ? [{ at, ...range }] : []));
      for (const [at, range] of ranges.entries()) if (range === undefined) yield { at, bit: undefined };
      const byBlock = Map.groupBy(found, ({ high }) => high);
      const heights = [...byBlock.keys()].sort((one, other) => one - other);
      const blocks = await blocksAt([...heights, ...found.map(({ low }) => low)], signal);
      for (const some of partsOf(heights, LOGS_AT_ONCE)) {
        const part = some.map((height) => blocks.get(height)!);
        const logs = await logsOf(part, signal);
        for (const block of part)
          for (const { at, low } of byBlock.get(block.number)!) {
            const clearUntil = blocks.get(low)!.timestamp;
            yield { at, bit: { isSet: true, block, clearUntil, logs: logs.get(block.number) ?? [] } };
          }
      }
    },
    blocks: blocksAt,
  };
}

interface NonceRead {
  readonly block: Block;
  readonly order: OrderTerms;
}

/** Undefined where no node has the state of the block. */
type Bit = boolean | undefined;

function dataOf({ swapper, nonce }: OrderTerms): string {
  return `0x${NONCE_BITMAP}${wordsOf([swapper, wordOfNonce(nonce)])}`;
}

function callOf(order: OrderTerms): CallItem {
  return { kind: 'call', target: PERMIT2, data: dataOf(order), gas: GAS, maxBytes: 32 };
}

/**
 * Without Permit2's code there is no bitmap yet, so nothing is spent. Undefined where no node has the state.
 * @throws {NodeError}
 */
function wordIn(
  outcome: Awaited<ReturnType<ChainReader['readEach']>>[number],
  label: string,
): bigint | undefined {
  if ('error' in outcome) {
    const { error } = outcome;
    if (error instanceof NodeError && error.kind === 'missing-state') return undefined;
    throw error;
  }
  const [result] = outcome.results;
  if (result?.status === 'ok' && result.size === 0) return 0n;
  if (result?.status === 'ok' && result.data.length === 32) return wordToBigInt(result.data);
  throw new NodeError('malformed', `${label} did not answer with a word of Permit2's bitmap`);
}

function toOrderLog({ transactionHash, data, ...log }: Log): OrderLog | undefined {
  return readOrderLog({ ...log, transaction: transactionHash, data: `0x${data.toString('hex')}` });
}
