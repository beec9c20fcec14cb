/** Asks an Ethereum node what contracts are and how they are named, many in one call. */
import { toChecksum } from '@hindsight/chain/address.ts';
import type { Network } from '@hindsight/chain/networks.ts';
import { NodeError } from '@hindsight/chain/rpc/node-error.ts';
import type { MulticallItem, MulticallResult } from '@hindsight/chain/state/multicall/multicall.ts';
import type { Block } from '@hindsight/chain/state/block.ts';
import type { ChainReader } from '@hindsight/chain/state/reader.ts';
import { settleTokenFacts, tokenFactsItems } from '@hindsight/chain/tokens/token-facts.ts';
import { isToken, type TokenFacts } from '@hindsight/chain/tokens/token.ts';
import type { FinalizedBlock } from '@hindsight/indexing/finalized-logs.ts';
import type { Logger } from '@hindsight/kernel/logger.ts';
import { sanitizeName, sanitizeSymbol } from '../domain/sanitize.ts';
import type { TokenNames, TokenType } from '../domain/token.ts';
import type { FirstSeen } from '../domain/transfers.ts';
import { createOneByOne, mayBeFaultOfContract } from './one-by-one.ts';

interface JudgeDeps {
  /** Batches the questions about one block into one call. */
  readonly reader: ChainReader;
  /** Exclusive, so that its calls are never batched with others. */
  readonly alone: ChainReader;
  readonly network: Network;
  readonly logger: Logger;
}

type Ask = (reader: ChainReader, items: readonly MulticallItem[]) => Promise<readonly MulticallResult[]>;

export interface Judgement {
  /** Null if it is not a token. */
  readonly type: TokenType | null;
  readonly names: TokenNames;
}

export type TokenJudge = ReturnType<typeof createTokenJudge>;

/** Creates the judge. Its methods throw a NodeError when no node answers; the signal aborts. */
export function createTokenJudge({ reader, alone, network, logger }: JudgeDeps) {
  const oneByOne = createOneByOne();

  /** Asks a contract all items in one call, or one by one if that fails in a way that a contract may have caused. */
  async function answersOf(
    address: string,
    items: readonly MulticallItem[],
    ask: Ask,
    through: ChainReader,
  ): Promise<readonly MulticallResult[]> {
    try {
      return await ask(through, items);
    } catch (err) {
      if (!mayBeFaultOfContract(err)) throw err;
      // Asking it alone shows whether this contract, one that shared its call, or the node is to blame.
      logger.debug({ address, err }, 'asking a contract again, one question at a time');
      return oneByOne(items, (item) => ask(alone, [item]));
    }
  }

  /** The facts at one block. @param hash the block's, where it must be that very block */
  async function factsAt(
    at: number | FinalizedBlock,
    address: string,
    signal: AbortSignal,
    hash?: string,
  ): Promise<TokenFacts> {
    let block: Block | undefined;
    const ask: Ask = async (through, items) => {
      const reading = await through.read(at, items, signal);
      ({ block } = reading);
      if (hash === undefined || block.hash === hash) return reading.results;
      throw new NodeError('unknown-block', `block ${block.number} is not the one that the logs belong to`);
    };
    const answers = await answersOf(address, tokenFactsItems(address), ask, reader);
    const askDirectly: Ask = async (through, items) => through.callDirectly(block!, items, signal);
    return settleTokenFacts(network, address, answers, (items) =>
      answersOf(address, items, askDirectly, alone),
    );
  }

  return {
    /** The contract's kind at the end of the block in which it was first seen: the same for every caller, at any time. */
    async judge({ address, block, blockHash }: FirstSeen, signal: AbortSignal): Promise<Judgement> {
      const facts = await factsAt(block, toChecksum(address), signal, blockHash);
      return { type: isToken(facts) ? facts.tokenType : null, names: namesOf(facts) };
    },
    /** A token's name and symbol at a finalized block; concurrent callers share calls. */
    async names(at: FinalizedBlock, address: string, signal: AbortSignal): Promise<TokenNames> {
      return namesOf(await factsAt(at, address, signal));
    },
  };
}

function namesOf({ name, symbol, decimals }: TokenFacts): TokenNames {
  return { name: sanitizeName(name), symbol: sanitizeSymbol(symbol), decimals };
}
