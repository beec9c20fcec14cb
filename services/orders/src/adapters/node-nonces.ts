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
import { isBitSet, wordOfNonce, type OrderTerms } from '../domain/ending.ts';
import { ORDER_TOPICS, readOrderLog, type OrderLog } from '../domain/order-logs.ts';
import { wordsOf } from '../domain/words.ts';
import type { NonceReader } from '../ports.ts';
import type { OrderNetwork } from './contract-signatures.ts';

/** `nonceBitmap(address,uint256)` of Permit2, src/SignatureTransfer.sol. */
const NONCE_BITMAP = '4fe02b44';
/** For one read of storage. */
const GAS = 50_000;
/** Blocks that are looked at in one step of a search: each step costs two requests, and leaves an eighth of the blocks. */
const PROBES = 7;
const LOGS_WITHIN_MS = 20_000;

/** Reads the nonces of a network's orders, each answer pinned to its block by hash. */
export function createNodeNonces({ node, network }: OrderNetwork, clock: Clock): NonceReader {
  const known = new KnownBlocks(clock);
  const reader = new ChainReader({ node, network, clock, known });
  const search = new LogSearch({ node, known, clock });
  /** Permit2 is younger than these on every chain. */
  const lowest = Math.max(network.firstBlock ?? 0, network.byzantiumBlock);

  async function areSet(
    reads: readonly { readonly block: Block; readonly order: OrderTerms }[],
    signal: AbortSignal,
  ): Promise<readonly boolean[]> {
    const words = await readWords(reads, signal);
    return reads.map(({ order }, at) => isBitSet(words[at]!, order.nonce));
  }

  async function readWords(
    reads: readonly { readonly block: Block; readonly order: OrderTerms }[],
    signal: AbortSignal,
  ): Promise<readonly bigint[]> {
    const keys = reads.map(({ block, order }) => `${block.hash}${dataOf(order)}`);
    const asked = new Map(keys.map((key, at) => [key, reads[at]!]));
    const outcomes = await reader.readEach(
      [...asked.values()].map(({ block, order }) => ({ block, items: [callOf(order)] })),
      signal,
    );
    const words = new Map([...asked.keys()].map((key, at) => [key, wordIn(outcomes[at]!, node.label)]));
    return keys.map((key) => words.get(key)!);
  }

  async function logsOf(block: Block, signal: AbortSignal): Promise<readonly OrderLog[]> {
    const filters = [{ topics: [Object.values(ORDER_TOPICS)] }];
    const deadline = performance.now() + LOGS_WITHIN_MS;
    for await (const { logs } of search.searchBlocks(filters, [block], { deadline, signal }))
      return logs.map(toOrderLog).filter((log) => log !== undefined);
    throw new NodeError('timeout', `${node.label} took too long for the logs of block ${block.number}`);
  }

  /** A block by which the bit is clear: the oldest that nodes have, unless one is known. */
  async function clearBefore(order: OrderTerms, set: Block, signal: AbortSignal): Promise<number> {
    const first = Math.max(lowest, (await search.firstBlock(signal)).number);
    if (first >= set.number) throw tooOld(first);
    const [block] = await reader.findBlocks([first], signal);
    const [isSet] = await areSet([{ block: block!, order }], signal);
    if (isSet) throw tooOld(first);
    return first;
  }

  const tooOld = (first: number): NodeError =>
    new NodeError('missing-state', `a nonce was spent by block ${first}, the first that ${node.label} has`);

  return {
    areSet: (block, orders, signal) =>
      areSet(
        orders.map((order) => ({ block, order })),
        signal,
      ),
    async whenSet(order, { clearAt, set }, signal) {
      let low = clearAt ?? (await clearBefore(order, set, signal));
      let high = set.number;
      while (high - low > 1) {
        const blocks = await reader.findBlocks(probes(low, high), signal);
        const bits = await areSet(
          blocks.map((block) => ({ block, order })),
          signal,
        );
        const first = bits.indexOf(true);
        const lastClear = first < 0 ? blocks.at(-1) : blocks[first - 1];
        low = lastClear?.number ?? low;
        high = blocks[first]?.number ?? high;
      }
      const [before, block] = await reader.findBlocks([low, high], signal);
      const logs = await logsOf(block!, signal);
      return { isSet: true, block: block!, clearUntil: before!.timestamp, logs };
    },
    blocks: (heights, signal) => reader.findBlocks(heights, signal),
  };
}

/** Heights between two, evenly. */
function probes(low: number, high: number): readonly number[] {
  const between = high - low - 1;
  const count = Math.min(PROBES, between);
  const step = (high - low) / (count + 1);
  return [...new Set(Array.from({ length: count }, (_, i) => low + Math.round(step * (i + 1))))];
}

function dataOf({ swapper, nonce }: OrderTerms): string {
  return `0x${NONCE_BITMAP}${wordsOf([swapper, wordOfNonce(nonce)])}`;
}

function callOf(order: OrderTerms): CallItem {
  return { kind: 'call', target: PERMIT2, data: dataOf(order), gas: GAS, maxBytes: 32 };
}

/** Without Permit2's code there is no bitmap yet, so nothing is spent. @throws {NodeError} */
function wordIn(outcome: Awaited<ReturnType<ChainReader['readEach']>>[number], label: string): bigint {
  if ('error' in outcome) throw outcome.error;
  const [result] = outcome.results;
  if (result?.status === 'ok' && result.size === 0) return 0n;
  if (result?.status === 'ok' && result.data.length === 32) return wordToBigInt(result.data);
  throw new NodeError('malformed', `${label} did not answer with a word of Permit2's bitmap`);
}

function toOrderLog({ transactionHash, data, ...log }: Log): OrderLog | undefined {
  return readOrderLog({ ...log, transaction: transactionHash, data: `0x${data.toString('hex')}` });
}
