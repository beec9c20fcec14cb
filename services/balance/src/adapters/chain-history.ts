import type { ChainReader } from '@hindsight/shared/chain/reader.ts';
import type { Network } from '@hindsight/shared/chain/networks.ts';
import { toPublicError } from '@hindsight/shared/chain/public-error.ts';
import {
  balanceOfCall,
  readTokenFacts,
  readUint,
  TOKEN_FACTS_COUNT,
  tokenFactsItems,
} from '@hindsight/shared/chain/token-facts.ts';
import type { History } from '../ports.ts';

/** History read from an Ethereum node, one probe a question. */
export function createChainHistory(reader: ChainReader, network: Network): History {
  return {
    async readBalance(token, holder, at, signal) {
      const items = [...tokenFactsItems(token), balanceOfCall(token, holder)];
      try {
        const { block, finalized, results } = await reader.read(at, items, { signal });
        const facts = readTokenFacts(network, token, results.slice(0, TOKEN_FACTS_COUNT));
        const held = results[TOKEN_FACTS_COUNT];
        const balance = held?.status === 'account' ? undefined : readUint(held);
        const { number, hash, timestamp } = block;
        return { ...facts, tokenType: facts.type, balance, block: { number, hash, timestamp, finalized } };
      } catch (error) {
        throw toPublicError(error);
      }
    },
  };
}
