import type { Block, BlockQuery } from '@hindsight/chain/state/block.ts';
import type { DateSearch } from '@hindsight/chain/dates/date-search.ts';
import type { LogSearch } from '@hindsight/chain/logs/log-search.ts';
import type { NameResolver } from '@hindsight/chain/ens/name-resolver.ts';
import { allowanceCall } from '@hindsight/chain/tokens/token-facts.ts';
import { publicly } from './public-error.ts';
import type { ChainReader } from '@hindsight/chain/state/reader.ts';
import { readChanges } from './changes-reader.ts';
import type { WalletReader } from './wallet-reader.ts';
import type { TokenReader } from './token-reader.ts';
import { nowhere, type AccountRef } from '../domain/account.ts';
import type { NetworkName, PinnedReading, When } from '../domain/pinned.ts';
import type { AllowanceQuestion, AllowanceReading } from '../domain/allowance.ts';
import type { AllowanceListQuestion, AllowanceListReading } from '../domain/allowance-list.ts';
import type { ChangesQuestion, ChangesReading } from '../domain/changes.ts';
import type { PortfolioQuestion, PortfolioReading } from '../domain/portfolio.ts';
import type { CallQuestion, CallReading } from '../domain/call/call.ts';
import type { BlockQuestion, BlockReading } from '../domain/block.ts';
import type { NativeQuestion, NativeReading } from '../domain/native.ts';
import type { Asked, KindQuestion, KindReading, Question, Resolved } from '../domain/question.ts';
import type { SeriesQuestion, SeriesReading } from '../domain/series.ts';
import { unlessReorganised } from './ranges.ts';
import { readSeries } from './series-reader.ts';
import { callView } from './view-calls.ts';
import type { History, PinnedAnswer, StateAt } from '../ports.ts';
import { StateAtBlock } from './state-at-block.ts';

interface ChainHistoryDeps {
  readonly network: NetworkName;
  readonly reader: ChainReader;
  readonly tokens: TokenReader;
  readonly dates: DateSearch;
  readonly names: NameResolver;
  readonly wallets: WalletReader;
  readonly logs: LogSearch;
  /** Milliseconds for a request in all. */
  readonly deadlineMs: number;
}

/** A question whose names are resolved, at the block that is meant. */
interface Settled<F extends string> {
  readonly when: When;
  readonly at: BlockQuery | Block;
  readonly addresses: Readonly<Record<F, string>>;
  /** Whether a CCIP gateway was involved: its answers may change. */
  readonly offchain: boolean;
}

/** A network's history, read from its nodes. */
export class ChainHistory implements History {
  readonly network: NetworkName;
  readonly #deps: ChainHistoryDeps;

  constructor(deps: ChainHistoryDeps) {
    this.network = deps.network;
    this.#deps = deps;
  }

  read<Q extends Asked, R>(
    { asked, when }: Question<Q>,
    read: (state: StateAt, asked: Resolved<Q>) => Promise<R>,
    signal: AbortSignal,
  ): Promise<PinnedAnswer<R>> {
    return unlessReorganised(async () => {
      const state = new StateAtBlock(this.#deps, when, await this.locate(when, signal), signal);
      const answer = await read(state, await state.resolve(asked));
      return { answer, ...state.pin() };
    });
  }

  async readKind(question: KindQuestion, signal: AbortSignal): Promise<KindReading> {
    switch (question.kind) {
      case 'allowance':
        return this.#readAllowance(question, signal);
      case 'native':
        return this.#readNative(question, signal);
      case 'allowance-list':
        return this.#readAllowanceList(question, signal);
      case 'portfolio':
        return this.#readPortfolio(question, signal);
      case 'block':
        return this.#readBlock(question, signal);
    }
  }

  finalizedHash(when: When): string | undefined {
    if (when === 'latest' || 'date' in when) return undefined;
    // Whatever is kept under a hash was finalized.
    if ('hash' in when) return when.hash;
    const { reader } = this.#deps;
    const block = reader.knownBlock(when.height);
    return block && reader.isFinalized(block) ? block.hash : undefined;
  }

  async #readAllowance(
    { accounts, when }: AllowanceQuestion,
    signal: AbortSignal,
  ): Promise<AllowanceReading> {
    const settled = await this.#settle(accounts, when, signal);
    const { token_address: token, owner, spender } = settled.addresses;
    const call = allowanceCall(token, owner, spender);
    const { block, ...reading } = await publicly(this.#deps.tokens.read(settled.at, call, signal));
    return { kind: 'allowance', ...reading, ...this.#pinned(settled, block), owner, spender };
  }

  async #readNative({ accounts, when }: NativeQuestion, signal: AbortSignal): Promise<NativeReading> {
    const settled = await this.#settle(accounts, when, signal);
    const { holder } = settled.addresses;
    const items = [{ kind: 'wei', target: holder }] as const;
    const { block, results } = await publicly(this.#deps.reader.read(settled.at, items, signal));
    const [result] = results;
    if (result?.status !== 'wei') throw new TypeError('an amount of wei was asked for');
    return { kind: 'native', ...this.#pinned(settled, block), holder, wei: result.wei };
  }

  #readAllowanceList(
    { accounts, when }: AllowanceListQuestion,
    signal: AbortSignal,
  ): Promise<AllowanceListReading> {
    return unlessReorganised(async () => {
      const settled = await this.#settle(accounts, when, signal);
      const { owner } = settled.addresses;
      const block = await this.#blockOf(settled.at, signal);
      const approvals = await this.#deps.wallets.readApprovals(block, owner, signal);
      const pinned = this.#pinned(settled, block);
      const lasting = pinned.lasting && approvals.searched.complete;
      return { kind: 'allowance-list', ...pinned, lasting, owner, ...approvals };
    });
  }

  #readPortfolio({ accounts, when }: PortfolioQuestion, signal: AbortSignal): Promise<PortfolioReading> {
    return unlessReorganised(async () => {
      const settled = await this.#settle(accounts, when, signal);
      const { holder } = settled.addresses;
      const block = await this.#blockOf(settled.at, signal);
      const holdings = await this.#deps.wallets.readHoldings(block, holder, signal);
      const pinned = this.#pinned(settled, block);
      const lasting = pinned.lasting && holdings.searched.complete;
      return { kind: 'portfolio', ...pinned, lasting, holder, ...holdings };
    });
  }

  async #blockOf(at: BlockQuery | Block, signal: AbortSignal): Promise<Block> {
    return typeof at === 'object' ? at : publicly(this.#deps.reader.findBlock(at, signal));
  }

  async call({ accounts, called, rows, when }: CallQuestion, signal: AbortSignal): Promise<CallReading> {
    const { reader } = this.#deps;
    const settled = await this.#settle(accounts, when, signal);
    const { target } = settled.addresses;
    const account = [{ kind: 'account', target }] as const;
    const { block, results } = await publicly(reader.read(settled.at, account, signal));
    const isContract = results[0]?.status === 'account' && results[0].codeSize > 0;
    const answered = isContract ? await callView(reader, { block, target, called, rows }, signal) : [];
    return { ...this.#pinned(settled, block), target, isContract, called, rows: answered };
  }

  async #readBlock({ when }: BlockQuestion, signal: AbortSignal): Promise<BlockReading> {
    const block = await this.#blockOf(await this.locate(when, signal), signal);
    const { parentHash } = block;
    return { kind: 'block', ...this.#pinned({ when, offchain: false }, block), parentHash };
  }

  async series(question: SeriesQuestion, signal: AbortSignal): Promise<SeriesReading> {
    return readSeries(this.#deps, question, signal);
  }

  async changes(question: ChangesQuestion, signal: AbortSignal): Promise<ChangesReading> {
    return readChanges(this.#deps, question, signal);
  }

  /** Resolves names at the block that is meant; where there is a name, that block is known afterwards. */
  async #settle<F extends string>(
    accounts: Readonly<Record<F, AccountRef>>,
    when: When,
    signal: AbortSignal,
  ): Promise<Settled<F>> {
    let at = await this.locate(when, signal);
    let offchain = false;
    const addresses: Partial<Record<F, string>> = {};
    for (const [field, account] of Object.entries(accounts) as [F, AccountRef][]) {
      if ('address' in account) {
        addresses[field] = account.address;
        continue;
      }
      const resolved = await publicly(this.#deps.names.resolve(account.name, at, signal), field);
      if (resolved.address === null) throw nowhere(field, resolved.name, resolved.block.number);
      addresses[field] = resolved.address;
      offchain ||= resolved.offchain;
      at = resolved.block;
    }
    return { when, at, addresses: addresses as Record<F, string>, offchain };
  }

  /**
   * The block that is meant, as far as it must be known before anything else is asked.
   * @throws {ApiError} as `read`
   */
  async locate(when: When, signal: AbortSignal): Promise<BlockQuery | Block> {
    if (when === 'latest') return when;
    if ('height' in when) return when.height;
    const { dates, reader } = this.#deps;
    return publicly(
      'hash' in when ? reader.findBlockByHash(when.hash, signal) : dates.findBlockAt(when.date, signal),
    );
  }

  /** The latest knowledge: while a question was read, others may have found its block final. */
  #pinned({ when, offchain }: Pick<Settled<never>, 'when' | 'offchain'>, block: Block): PinnedReading {
    const { number, hash, timestamp } = block;
    const finalized = this.#deps.reader.isFinalized(block);
    const lasting = !offchain && this.#meansForGood(when, block);
    return { block: { number, hash, timestamp, finalized }, lasting };
  }

  /** Whether the question means that block for ever. A date does once the block after it is final. */
  #meansForGood(when: When, block: Block): boolean {
    if (when === 'latest') return false;
    const decisive = 'date' in when ? { ...block, number: block.number + 1 } : block;
    return this.#deps.reader.isFinalized(decisive);
  }
}
