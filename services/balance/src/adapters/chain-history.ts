import type { Block, BlockQuery } from '@hindsight/shared/chain/block.ts';
import type { DateSearch } from '@hindsight/shared/chain/date-search.ts';
import type { NameResolver } from '@hindsight/shared/chain/ens/name-resolver.ts';
import { toPublicError } from '@hindsight/shared/chain/public-error.ts';
import type { ChainReader } from '@hindsight/shared/chain/reader.ts';
import { allowanceCall, balanceOfCall } from '@hindsight/shared/chain/token-facts.ts';
import type { ProbeCall } from '@hindsight/shared/chain/probe/probe.ts';
import type { TokenReader } from '@hindsight/shared/chain/token-reader.ts';
import { nowhere, type Account, type AccountField } from '../domain/account.ts';
import type { PinnedReading, When } from '../domain/pinned.ts';
import type { TokenReading } from '../domain/token.ts';
import type { History } from '../ports.ts';

interface ChainHistoryParts {
  readonly reader: ChainReader;
  readonly tokens: TokenReader;
  readonly dates: DateSearch;
  readonly names: NameResolver;
}

type Accounts<F extends AccountField> = Readonly<Record<F, Account>>;

/** A question whose names are resolved, at the block that is meant. */
interface Settled<F extends AccountField> {
  readonly at: BlockQuery | Block;
  readonly addresses: Readonly<Record<F, string>>;
  /** Whether a gateway had a say: what it says may change. */
  readonly offchain: boolean;
}

/** History read from Ethereum nodes. */
export function createChainHistory({ reader, tokens, dates, names }: ChainHistoryParts): History {
  /** The block that is meant, as far as it must be known before anything else is asked. */
  async function locate(when: When, signal: AbortSignal): Promise<BlockQuery | Block> {
    if (when === 'latest') return when;
    return 'height' in when ? when.height : publicly(dates.findBlockAt(when.date, signal));
  }

  /** Resolves names at the block that is meant; where there is a name, that block is known afterwards. */
  async function settle<F extends AccountField>(
    accounts: Accounts<F>,
    when: When,
    signal: AbortSignal,
  ): Promise<Settled<F>> {
    let at = await locate(when, signal);
    let offchain = false;
    const addresses: Partial<Record<F, string>> = {};
    for (const [field, account] of Object.entries(accounts) as [F, Account][]) {
      if ('address' in account) {
        addresses[field] = account.address;
        continue;
      }
      const resolved = await publicly(names.resolve(account.name, at, signal), field);
      if (resolved.address === null) throw nowhere(field, resolved.name, resolved.block.number);
      addresses[field] = resolved.address;
      offchain ||= resolved.offchain;
      at = resolved.block;
    }
    return { at, addresses: addresses as Record<F, string>, offchain };
  }

  /** Whether the question means that block for ever. A date does once the block after it is final. */
  function meansForGood(when: When, block: Block): boolean {
    if (when === 'latest') return false;
    return reader.isFinalized('date' in when ? { ...block, number: block.number + 1 } : block);
  }

  /** What is known by now: while a question was read, others may have learnt that its block is final. */
  function pinned(when: When, block: Block, offchain: boolean): PinnedReading {
    const { number, hash, timestamp } = block;
    const finalized = reader.isFinalized(block);
    return { block: { number, hash, timestamp, finalized }, lasting: !offchain && meansForGood(when, block) };
  }

  async function readToken(
    when: When,
    { at, offchain }: Pick<Settled<never>, 'at' | 'offchain'>,
    call: ProbeCall,
    signal: AbortSignal,
  ): Promise<TokenReading> {
    const { block, facts, value } = await publicly(tokens.read(at, call, signal));
    const { type, name, symbol, decimals } = facts;
    const fields = { token: call.target, tokenType: type, name, symbol, decimals, value };
    return { ...pinned(when, block, offchain), ...fields };
  }

  return {
    async readBalance(token, account, when, signal) {
      const settled = await settle({ holder: account }, when, signal);
      const { holder } = settled.addresses;
      return { ...(await readToken(when, settled, balanceOfCall(token, holder), signal)), holder };
    },
    async readAllowance(tokenAccount, ownerAccount, spenderAccount, when, signal) {
      const accounts = { token_address: tokenAccount, owner: ownerAccount, spender: spenderAccount };
      const settled = await settle(accounts, when, signal);
      const { token_address: token, owner, spender } = settled.addresses;
      const reading = await readToken(when, settled, allowanceCall(token, owner, spender), signal);
      return { ...reading, owner, spender };
    },
    async readNative(account, when, signal) {
      const { at, addresses, offchain } = await settle({ holder: account }, when, signal);
      const { holder } = addresses;
      const { block, results } = await publicly(
        reader.read(at, [{ kind: 'account', target: holder }], signal),
      );
      const [result] = results;
      if (result?.status !== 'account') throw new TypeError('an account was asked for');
      return { ...pinned(when, block, offchain), holder, wei: result.wei };
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
