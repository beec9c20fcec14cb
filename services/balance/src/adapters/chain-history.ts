import type { Block } from '@hindsight/shared/chain/block.ts';
import type { Network } from '@hindsight/shared/chain/networks.ts';
import type { ProbeCall } from '@hindsight/shared/chain/probe/probe.ts';
import { toPublicError } from '@hindsight/shared/chain/public-error.ts';
import type { ChainReader } from '@hindsight/shared/chain/reader.ts';
import { allowanceCall, balanceOfCall } from '@hindsight/shared/chain/token-facts.ts';
import { TokenReader } from '@hindsight/shared/chain/token-reader.ts';
import type { HeightQuestion, ReadBlock } from '../domain/pinned.ts';
import type { TokenReading } from '../domain/token.ts';
import type { History } from '../ports.ts';

/** History read from Ethereum nodes. */
export function createChainHistory(reader: ChainReader, network: Network): History {
  const tokens = new TokenReader(reader, network);

  async function readToken(at: HeightQuestion, call: ProbeCall): Promise<TokenReading> {
    const { block, finalized, facts, value } = await publicly(tokens.read(at, call));
    const { type, name, symbol, decimals } = facts;
    return { block: toReadBlock(block, finalized), tokenType: type, name, symbol, decimals, value };
  }

  return {
    readBalance: (token, holder, at) => readToken(at, balanceOfCall(token, holder)),
    readAllowance: (token, owner, spender, at) => readToken(at, allowanceCall(token, owner, spender)),
    async readNative(holder, at) {
      const { block, finalized, results } = await publicly(
        reader.read(at, [{ kind: 'account', target: holder }]),
      );
      const [account] = results;
      if (account?.status !== 'account') throw new TypeError('an account was asked for');
      return { block: toReadBlock(block, finalized), wei: account.wei };
    },
  };
}

async function publicly<T>(reading: Promise<T>): Promise<T> {
  try {
    return await reading;
  } catch (error) {
    throw toPublicError(error);
  }
}

function toReadBlock({ number, hash, timestamp }: Block, finalized: boolean): ReadBlock {
  return { number, hash, timestamp, finalized };
}
