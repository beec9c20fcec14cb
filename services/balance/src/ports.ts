import type { Network } from '@hindsight/chain/networks.ts';
import type { Block } from '@hindsight/chain/state/block.ts';
import type { CallItem } from '@hindsight/chain/state/multicall/multicall.ts';
import type { TokenFacts } from '@hindsight/chain/tokens/token.ts';
import type { Amount, Asset } from './domain/asset.ts';
import type { AbiFunction } from './domain/call/signature.ts';
import type { CallRow } from './domain/call/call.ts';
import type { CallSeriesQuestion, CallSeriesReading } from './domain/call/call-series.ts';
import type { ChangesQuestion, ChangesReading } from './domain/changes.ts';
import type { PageStart } from './domain/list-page.ts';
import type { ApiError } from '@hindsight/kernel/errors.ts';
import type { BalanceProof, ProofFields, SharedProof, SharesProofFields } from './domain/proof.ts';
import type { NamesAt, NetworkName, ReadBlock, When } from './domain/pinned.ts';
import type { Asked, Question, Resolved } from './domain/question.ts';
import type { ReconcileQuestion, ReconcileReading } from './domain/reconcile.ts';
import type { SeriesQuestion, SeriesReading } from './domain/series.ts';
import type { StatementQuestion, StatementReading } from './domain/statement.ts';
import type { TokenReading } from './domain/token.ts';
import type { Feed } from './feeds.ts';
import type { Approvals, Holdings } from './domain/wallet.ts';
import type { WalletChangesQuestion, WalletChangesReading } from './domain/wallet-changes.ts';

export interface AnsweredNumber {
  readonly call: CallItem;
  /** A call of the same contract that does not read this number: the same call for an unused address, or another view. */
  readonly control: CallItem;
  readonly value: bigint;
  /** Of a balance: reads how many shares the token states, from which it may compute it; undefined where it states none. */
  readonly shares?: () => Promise<bigint | undefined>;
}

/**
 * The state at the block of one question. The first reading says which block that is; all later ones are of that block.
 * Each throws NodeError where no node answers, or none has the state of that block.
 */
export interface StateAt {
  /**
   * The block that was read, as an answer names it: the same each time.
   * @throws {TypeError} before the first reading
   */
  readonly pinned: ReadBlock;
  block(): Promise<Block>;
  /** Reads an account's balance of the native coin. */
  wei(account: string): Promise<bigint>;
  /**
   * Proves such a balance.
   * @param wei the balance that was read
   * @throws {ApiError} 501 where no node can prove at that block
   */
  proveWei(account: string, wei: bigint): Promise<ProofFields>;
  weiOf(accounts: readonly string[]): Promise<readonly bigint[]>;
  /** Reads the number of bytes of an account's code. */
  codeSize(account: string): Promise<number>;
  /** Reads the code of an account; no bytes where it has none. */
  code(account: string): Promise<Buffer>;
  /** Reads the token that a call is addressed to, and the number that the call returns. */
  token(call: CallItem): Promise<TokenReading>;
  /** Reads the number that a call returns, whatever its target is. Undefined where there is none. */
  number(call: CallItem): Promise<bigint | undefined>;
  /**
   * Proves a number that a call returned, where one slot of the contract holds it.
   * @throws {ApiError} 422 where none does, which says so where it holds the shares that the token states; 501 where no node
   *   can prove at that block
   */
  proveNumber(answered: AnsweredNumber): Promise<ProofFields>;
  /**
   * Proves the shares from which a token computes a balance, where one slot of the contract holds as many as the token states.
   * @throws {ApiError} 422 where none does, or the token states none; 501 where no node can prove at that block
   */
  proveShares(answered: Required<AnsweredNumber>): Promise<SharesProofFields>;
  facts(token: string): Promise<TokenFacts>;
  /** Reads a page of the holdings of an account, as far as logs name them; the first where none is given. */
  holdings(holder: string, page?: PageStart): Promise<Holdings>;
  /** Reads a page of the allowances and operators of an owner, as far as logs name them. */
  approvals(owner: string, page?: PageStart): Promise<Approvals>;
  /** The rows of the operator's table about a token. An answer with them may change later, as the table may. */
  feeds(token: string): readonly Feed[];
  /**
   * Calls a function of a contract once a row. What is called at the same time shares requests.
   * @param rows the data of each call
   */
  calls(target: string, called: AbiFunction, rows: readonly string[]): Promise<readonly CallRow[]>;
  /** Runs tasks of one call at a time, so that these calls share requests however long a task takes to make its own. */
  together<T>(tasks: readonly (() => Promise<T>)[]): Promise<T[]>;
}

export interface PinnedAnswer<R> {
  readonly answer: R;
  readonly block: ReadBlock;
  /** True if the same question will always have this answer. */
  readonly lasting: boolean;
}

/**
 * Reads the past of one network, each answer at one block; names are resolved at that very block, or at its time. A signal
 * abandons a question: it causes no further requests to nodes.
 */
export interface History {
  readonly network: NetworkName;
  /**
   * Opens the block of a question, resolves its names there, and has it read; a second time where the block was reorganised
   * away meanwhile.
   * @param read makes the answer
   * @throws {ApiError} 400 for an unusable name; 404 above the head, before the first block, for a hash that is not
   *   canonical, and for a name without an address; 422 for a name that is kept off-chain where we do not ask; 502, 503
   *   or 504 where no node can answer; and what `read` throws
   */
  read<Q extends Asked, R>(
    question: Question<Q>,
    read: (state: StateAt, asked: Resolved<Q>) => Promise<R>,
    signal: AbortSignal,
  ): Promise<PinnedAnswer<R>>;
  /**
   * Reads one balance at many blocks.
   * @throws {ApiError} as `read`, and 400 for ends in the wrong order or too many points
   */
  series(question: SeriesQuestion, signal: AbortSignal): Promise<SeriesReading>;
  /**
   * Calls one view at many blocks.
   * @throws {ApiError} as `series`; where only some of the calls fail, these say so
   */
  callSeries(question: CallSeriesQuestion, signal: AbortSignal): Promise<CallSeriesReading>;
  /**
   * Reads a page of the changes of a balance.
   * @throws {ApiError} as `read`, and 400 where the ends are in the wrong order
   */
  changes(question: ChangesQuestion, signal: AbortSignal): Promise<ChangesReading>;
  /**
   * Reads a page of the changes of several balances of one holder.
   * @throws {ApiError} as `changes`
   */
  walletChanges(question: WalletChangesQuestion, signal: AbortSignal): Promise<WalletChangesReading>;
  /**
   * Reads the statement of a balance.
   * @throws {ApiError} as `series`
   */
  statement(question: StatementQuestion, signal: AbortSignal): Promise<StatementReading>;
  /**
   * Holds booked balances against the chain.
   * @throws {ApiError} as `series`
   */
  reconcile(question: ReconcileQuestion, signal: AbortSignal): Promise<ReconcileReading>;
  /** The hash under which an answer may be kept: of the block that is meant, where that is known without a request. */
  finalizedHash(when: When): string | undefined;
}

/** Keeps answers that can never change, by a key that names the network and the block's hash. */
export interface AnswerCache {
  /** Undefined where the answer is not kept; also when the cache cannot be reached. */
  get(key: string): Promise<string | undefined>;
  /** Keeps an answer. Never fails: a cache that cannot be reached keeps nothing. */
  set(key: string, answer: string): Promise<void>;
}

export interface NetworkNow {
  readonly head: Omit<ReadBlock, 'finalized'>;
  /** The last final block by the network's rule; null where there is none. */
  readonly finalized: Omit<ReadBlock, 'finalized'> | null;
  /** The first block that can be answered: the chain's own, or a later one, as far as nodes have said what they keep. */
  readonly firstBlock: number;
  /** True unless every node has said to keep no logs. */
  readonly hasLogs: boolean;
  /** The first block that a node has said to prove state of; null where none has. */
  readonly proofsFrom: number | null;
}

export interface NetworkState {
  readonly network: Network;
  /** True if names are resolved, here or on another network. */
  readonly hasNames: boolean;
  /** @throws {ApiError} where no node can answer */
  read(signal: AbortSignal): Promise<NetworkNow>;
}

export interface ManyBalances {
  readonly network: NetworkName;
  /**
   * Opens the block that is meant, and reads what the assets are there.
   * @param signal abandons the question
   * @throws {ApiError} 404 above the head and before the first block; 502, 503 or 504 where no node can answer
   */
  open(assets: readonly Asset[], when: When, signal: AbortSignal): Promise<OpenBlock>;
}

/** Proves many balances of one asset at a block. */
export interface BalanceProver {
  readonly shared: SharedProof;
  /**
   * Proves balances as they were read.
   * @param amounts in the order of the holders
   * @returns in the same order, the proof, or the error (422) where the amount is not the value of its slot
   * @throws {ApiError} 501 where no node can prove at that block; 502, 503 or 504 where no node can answer
   */
  prove(
    holders: readonly string[],
    amounts: readonly bigint[],
    signal: AbortSignal,
  ): Promise<readonly (BalanceProof | ApiError)[]>;
}

/** A block of balances, and the assets that it was opened for. */
export interface OpenBlock {
  /** Its finality is as far as known now. */
  readonly block: ReadBlock;
  /** The block of another network at which names were resolved; undefined before the first. */
  readonly namesAt: NamesAt | undefined;
  /** A token's facts. @throws {ApiError} if they could not be read */
  facts(token: string): TokenFacts;
  /** @throws {ApiError} as `History.read` */
  resolve(name: string, signal: AbortSignal): Promise<string>;
  /**
   * Opens the proofs of balances of one asset.
   * @throws {ApiError} 422 where the token keeps no balance in one slot of a known layout; 501 where no node can prove at that
   *   block; as `ManyBalances.open` where no node can answer
   */
  prover(asset: Asset, signal: AbortSignal): Promise<BalanceProver>;
  /**
   * Reads balances; the amounts are in the order of the holders.
   * @param onProgress called whenever a part of them was read
   * @throws the signal's reason once it is aborted
   */
  read(
    asset: Asset,
    holders: readonly string[],
    signal: AbortSignal,
    onProgress?: () => void,
  ): Promise<readonly Amount[]>;
}
