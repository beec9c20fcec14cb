import type { DateSearch } from '@hindsight/chain/dates/date-search.ts';
import type { Names } from '@hindsight/chain/ens/name-resolver.ts';
import type { Block, BlockQuery } from '@hindsight/chain/state/block.ts';
import type { CallItem, MulticallItem, MulticallResult } from '@hindsight/chain/state/multicall/multicall.ts';
import type { ChainReader } from '@hindsight/chain/state/reader.ts';
import type { TokenFacts } from '@hindsight/chain/tokens/token.ts';
import type { AccountRef } from '../domain/account.ts';
import type { AbiFunction } from '../domain/call/signature.ts';
import type { CallRow } from '../domain/call/call.ts';
import type { PageStart } from '../domain/list-page.ts';
import type { ProofFields, SharesProofFields } from '../domain/proof.ts';
import type { NamesAt, ReadBlock, When } from '../domain/pinned.ts';
import type { Asked, Resolved } from '../domain/question.ts';
import type { TokenReading } from '../domain/token.ts';
import type { Approvals, Holdings } from '../domain/wallet.ts';
import { feedsOf, type Feed } from '../feeds.ts';
import type { AnsweredBalance, AnsweredNumber, StateAt } from '../ports.ts';
import { JoinedCalls } from './joined-calls.ts';
import { resultsOf, weiIn } from './outcomes.ts';
import type { ProofReader } from './proof-reader.ts';
import { publicly } from './public-error.ts';
import { asRead, isForGood } from './ranges.ts';
import { resolveName, sameNamesAt } from './resolve-name.ts';
import type { TokenReader } from './token-reader.ts';
import type { WalletReader } from './wallet-reader.ts';

/** The readers of one network. */
export interface Readers {
  readonly reader: ChainReader;
  readonly tokens: TokenReader;
  readonly dates: DateSearch;
  readonly names: Names;
  readonly wallets: WalletReader;
  readonly proofs: ProofReader;
  /** Those of the operator's table about this network. */
  readonly feeds: readonly Feed[];
}

/** The state at the block of one question, read from a network's nodes. */
export class StateAtBlock implements StateAt {
  readonly #readers: Readers;
  readonly #when: When;
  readonly #signal: AbortSignal;
  readonly #joined: JoinedCalls;
  #at: BlockQuery | Block;
  /**
   * True if an answer may change later although its block does not: a CCIP gateway answered, a name was read at a block that
   * is not final, not all logs were searched, or the operator's table was read.
   */
  #mayChange = false;
  #namesAt: NamesAt | undefined;
  #pin: { readonly block: ReadBlock; readonly lasting: boolean } | undefined;

  /** @param at the block of `when`, as far as it is known */
  constructor(readers: Readers, when: When, at: BlockQuery | Block, signal: AbortSignal) {
    this.#readers = readers;
    this.#when = when;
    this.#at = at;
    this.#signal = signal;
    this.#joined = new JoinedCalls(readers.reader, signal);
  }

  get pinned(): ReadBlock {
    return this.pin().block;
  }

  /** The block, and whether the answer is for good: decided once, as the answer must not contradict itself. */
  pin(): { readonly block: ReadBlock; readonly lasting: boolean } {
    if (typeof this.#at !== 'object') throw new TypeError('no state was read yet');
    const { reader } = this.#readers;
    const when = this.#when;
    const lasting = !this.#mayChange && when !== 'latest' && isForGood(reader, this.#at, 'date' in when);
    this.#pin ??= {
      block: { ...asRead(this.#at, reader.isFinalized(this.#at)), namesAt: this.#namesAt },
      lasting,
    };
    return this.#pin;
  }

  /** Resolves the names among parameters. Where there is one, the block is known afterwards. @throws {ApiError} */
  async resolve<Q extends Asked>(asked: Q): Promise<Resolved<Q>> {
    const resolved: Record<string, unknown> = { ...asked };
    for (const [field, account] of Object.entries(asked).filter(hasAccount)) {
      if ('address' in account) {
        resolved[field] = account.address;
        continue;
      }
      const { names } = this.#readers;
      const asked = { field, name: account.name };
      const found = await publicly(resolveName(names, asked, this.#at, this.#signal), field);
      this.#namesAt = sameNamesAt(this.#namesAt, found.namesAt);
      resolved[field] = found.address;
      this.#mayChange ||= !found.lasting;
      this.#at = found.block;
    }
    return resolved as Resolved<Q>;
  }

  async block(): Promise<Block> {
    if (typeof this.#at !== 'object') this.#at = await this.#readers.reader.findBlock(this.#at, this.#signal);
    return this.#at;
  }

  async wei(account: string): Promise<bigint> {
    return weiIn(await this.#read({ kind: 'wei', target: account }));
  }

  async proveWei(account: string, wei: bigint): Promise<ProofFields> {
    return this.#readers.proofs.ofWei(await this.block(), account, wei, this.#signal);
  }

  async weiOf(accounts: readonly string[]): Promise<readonly bigint[]> {
    const questions = accounts.map((target) => [{ kind: 'wei', target } as const]);
    const outcomes = await this.#readers.reader.readMany(await this.block(), questions, this.#signal);
    return resultsOf(outcomes).map(([wei]) => weiIn(wei));
  }

  async codeSize(account: string): Promise<number> {
    const result = await this.#read({ kind: 'account', target: account });
    if (result?.status !== 'account') throw new TypeError('an account was asked for');
    return result.codeSize;
  }

  async code(account: string): Promise<Buffer> {
    const item = { kind: 'account', target: account } as const;
    const [result] = await this.#readers.reader.callDirectly(await this.block(), [item], this.#signal);
    if (result?.status !== 'account' || !result.code)
      throw new TypeError('an account was asked for directly');
    return result.code;
  }

  async token(call: CallItem): Promise<TokenReading> {
    const { block, ...reading } = await this.#readers.tokens.read(this.#at, call, this.#signal);
    this.#at = block;
    return reading;
  }

  async number(call: CallItem): Promise<bigint | undefined> {
    return this.#readers.tokens.readNumber(await this.block(), call, this.#signal);
  }

  async proveNumber(answered: AnsweredNumber): Promise<ProofFields> {
    return this.#readers.proofs.ofNumber(await this.block(), answered, this.#signal);
  }

  async proveBalance(answered: AnsweredBalance): Promise<ProofFields> {
    return this.#readers.proofs.ofBalance(await this.block(), answered, this.#signal);
  }

  async proveShares(answered: AnsweredBalance): Promise<SharesProofFields> {
    return this.#readers.proofs.ofShares(await this.block(), answered, this.#signal);
  }

  async facts(token: string): Promise<TokenFacts> {
    const { block, facts } = await this.#readers.tokens.readFacts(this.#at, token, this.#signal);
    this.#at = block;
    return facts;
  }

  async holdings(holder: string, page?: PageStart): Promise<Holdings> {
    const { wallets } = this.#readers;
    return this.#searched(await wallets.readHoldings(await this.block(), holder, page, this.#signal));
  }

  async approvals(owner: string, page?: PageStart): Promise<Approvals> {
    const { wallets } = this.#readers;
    return this.#searched(await wallets.readApprovals(await this.block(), owner, page, this.#signal));
  }

  feeds(token: string): readonly Feed[] {
    this.#mayChange = true;
    return feedsOf(this.#readers.feeds, token);
  }

  async calls(target: string, called: AbiFunction, rows: readonly string[]): Promise<readonly CallRow[]> {
    const block = await this.block();
    return this.#joined.call({ target, called, rows: rows.map((data) => ({ block, data })) });
  }

  together<T>(tasks: readonly (() => Promise<T>)[]): Promise<T[]> {
    return this.#joined.together(tasks);
  }

  /** Asks an item, in one request with the block where that is not known yet. */
  async #read(item: MulticallItem): Promise<MulticallResult | undefined> {
    const { block, results } = await this.#readers.reader.read(this.#at, [item], this.#signal);
    this.#at = block;
    return results[0];
  }

  #searched<T extends Holdings | Approvals>(found: T): T {
    this.#mayChange ||= !found.searched.complete;
    return found;
  }
}

function hasAccount(entry: [string, unknown]): entry is [string, AccountRef] {
  const [, value] = entry;
  return typeof value === 'object' && value !== null && ('address' in value || 'name' in value);
}
