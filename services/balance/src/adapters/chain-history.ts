import type { Block, BlockQuery } from '@hindsight/shared/chain/block.ts';
import type { DateSearch } from '@hindsight/shared/chain/date-search.ts';
import type { NameResolver } from '@hindsight/shared/chain/ens/name-resolver.ts';
import { toPublicError } from '@hindsight/shared/chain/public-error.ts';
import type { ChainReader } from '@hindsight/shared/chain/reader.ts';
import { allowanceCall, balanceOfCall } from '@hindsight/shared/chain/token-facts.ts';
import type { TokenReader, TokenReading as ChainTokenReading } from '@hindsight/shared/chain/token-reader.ts';
import { nowhere, type Account, type AccountField } from '../domain/account.ts';
import type { ReadBlock, When } from '../domain/pinned.ts';
import type { TokenReading } from '../domain/token.ts';
import type { History } from '../ports.ts';

interface ChainHistoryParts {
  readonly reader: ChainReader;
  readonly tokens: TokenReader;
  readonly dates: DateSearch;
  readonly names: NameResolver;
}

type Accounts<F extends AccountField> = Readonly<Record<F, Account>>;
type Addresses<F extends AccountField> = Record<F, string>;

/** History read from Ethereum nodes. */
export function createChainHistory({ reader, tokens, dates, names }: ChainHistoryParts): History {
  /** The block that is meant, as far as it must be known before anything else is asked. */
  async function locate(when: When): Promise<BlockQuery | Block> {
    if (when === 'latest') return when;
    return 'height' in when ? when.height : dates.findBlockAt(when.date);
  }

  /** Resolves names at the block that is meant; where there is one, that block is then known. */
  async function settle<F extends AccountField>(
    accounts: Accounts<F>,
    at: BlockQuery | Block,
  ): Promise<{ addresses: Addresses<F>; at: BlockQuery | Block }> {
    let block = at;
    const addresses: Partial<Addresses<F>> = {};
    for (const [field, account] of Object.entries(accounts) as [F, Account][]) {
      if ('address' in account) {
        addresses[field] = account.address;
        continue;
      }
      const found = await publicly(names.resolve(account.name, block), field);
      if (found.address === null) throw nowhere(field, found.name, found.block.number);
      addresses[field] = found.address;
      block = found.block;
    }
    return { addresses: addresses as Addresses<F>, at: block };
  }

  async function prepare<F extends AccountField>(
    accounts: Accounts<F>,
    when: When,
  ): Promise<{ addresses: Addresses<F>; at: BlockQuery | Block }> {
    return settle(accounts, await publicly(locate(when)));
  }

  return {
    async readBalance(token, account, when) {
      const { addresses, at } = await prepare({ holder: account }, when);
      const { holder } = addresses;
      const reading = await publicly(tokens.read(at, balanceOfCall(token, holder)));
      return { ...toTokenReading(token, reading), holder };
    },
    async readAllowance(tokenAccount, ownerAccount, spenderAccount, when) {
      const accounts = { token_address: tokenAccount, owner: ownerAccount, spender: spenderAccount };
      const { addresses, at } = await prepare(accounts, when);
      const { token_address: token, owner, spender } = addresses;
      const reading = await publicly(tokens.read(at, allowanceCall(token, owner, spender)));
      return { ...toTokenReading(token, reading), owner, spender };
    },
    async readNative(account, when) {
      const { addresses, at } = await prepare({ holder: account }, when);
      const { holder } = addresses;
      const { block, finalized, results } = await publicly(
        reader.read(at, [{ kind: 'account', target: holder }]),
      );
      const [result] = results;
      if (result?.status !== 'account') throw new TypeError('an account was asked for');
      return { block: toReadBlock(block, finalized), holder, wei: result.wei };
    },
    finalizedHash(when) {
      if (when === 'latest' || 'date' in when) return undefined;
      const block = reader.knownBlock(when.height);
      return block && reader.isFinalized(block) ? block.hash : undefined;
    },
  };
}

async function publicly<T>(reading: Promise<T>, field?: AccountField): Promise<T> {
  try {
    return await reading;
  } catch (error) {
    throw toPublicError(error, field);
  }
}

function toTokenReading(token: string, { block, finalized, facts, value }: ChainTokenReading): TokenReading {
  const { type, name, symbol, decimals } = facts;
  return { block: toReadBlock(block, finalized), token, tokenType: type, name, symbol, decimals, value };
}

function toReadBlock({ number, hash, timestamp }: Block, finalized: boolean): ReadBlock {
  return { number, hash, timestamp, finalized };
}
