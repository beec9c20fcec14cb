import { balanceBatch, type BatchRow } from './actions/batch.ts';
import {
  callSeries,
  callView,
  type CallQuestion,
  type CallResults,
  type CallSeries,
  type CallSeriesQuestion,
} from './actions/call.ts';
import { balanceChanges, type BalanceChange, type ChangesQuestion } from './actions/changes.ts';
import {
  holdersPage,
  listHolders,
  type HoldersPage,
  type HoldersQuestion,
  type TokenHolder,
} from './actions/holders.ts';
import { holdersFile, type HoldersFile, type HoldersFileQuestion } from './actions/holders-file.ts';
import { largestHolders, type LargestHolders, type LargestQuestion } from './actions/largest-holders.ts';
import {
  getOrder,
  listOrders,
  streamOrders,
  type Order,
  type OrderEndEvent,
  type OrderEvent,
  type OrderListQuestion,
  type OrdersQuestion,
} from './actions/orders.ts';
import {
  allowanceAt,
  balanceAt,
  blockAt,
  getNftBalance,
  getNftOwner,
  getPortfolio,
  getCode,
  getSupply,
  getVaultAssets,
  listAllowances,
  readValue,
  type Allowance,
  type AllowanceList,
  type AllowanceQuestion,
  type AllowancesQuestion,
  type AnyBalance,
  type Balance,
  type BalanceQuestion,
  type Block,
  type BlockQuestion,
  type NativeBalance,
  type NftBalance,
  type NftOwner,
  type NftQuestion,
  type Portfolio,
  type PortfolioQuestion,
  type Code,
  type CodeQuestion,
  type Supply,
  type SupplyQuestion,
  type ValueQuestion,
  type ValueReads,
  type VaultAssets,
  type VaultQuestion,
} from './actions/reads.ts';
import {
  blocksAt,
  listNetworks,
  nativeCoin,
  type BlockEntry,
  type BlocksQuestion,
  type NativeCoin,
  type NetworkEntry,
} from './actions/networks.ts';
import { reconcile, type ReconcileQuestion, type Reconciliation } from './actions/reconcile.ts';
import { getScores, type Scores, type ScoresQuestion } from './actions/scores.ts';
import { balanceSeries, type Series, type SeriesQuestion } from './actions/series.ts';
import { snapshot, type SnapshotQuestion, type SnapshotRow } from './actions/snapshot.ts';
import { balanceStatement, type Statement, type StatementQuestion } from './actions/statement.ts';
import { getToken, listTokens, type ListedToken, type Token, type TokensQuestion } from './actions/tokens.ts';
import { getUsage, type Usage, type UsageQuestion } from './actions/usage.ts';
import { walletChanges, type WalletChange, type WalletChangesQuestion } from './actions/wallet-changes.ts';
import type { ApiError } from './errors.ts';
import { Transport, type ClientOptions, type Question } from './transport.ts';

/** Ethereum's past, typed. Every method takes a `signal`; every failure is a `HindsightError`. */
export interface Client {
  readonly balance: {
    /** A wallet's balance at a block. */
    at(question: BalanceQuestion & { readonly token: 'native' }): Promise<NativeBalance>;
    at(question: BalanceQuestion): Promise<Balance>;
    /** A wallet's balance at up to 1,000 points in time. */
    series(question: SeriesQuestion): Promise<Series>;
    /** The blocks in which a balance changed, with or without an event, page after page. */
    changes(question: ChangesQuestion): AsyncGenerator<BalanceChange, void>;
    /** The same of up to 10 tokens in one list. */
    changesOf(question: WalletChangesQuestion): AsyncGenerator<WalletChange, void>;
    /** A balance at the ends of periods, and what moved it in each. */
    statement(question: StatementQuestion): Promise<Statement>;
    /** Booked balances against the chain, and what happened where they first differ. */
    reconcile(question: ReconcileQuestion): Promise<Reconciliation>;
  };
  readonly balances: {
    /** Many balances, each at any block; a row without an answer has an error in its place. */
    batch(rows: readonly BatchRow[], signal?: AbortSignal): Promise<(AnyBalance | ApiError)[]>;
  };
  readonly allowance: {
    /** A spender's allowance at a block. */
    at(question: AllowanceQuestion): Promise<Allowance>;
  };
  /** All allowances of an owner at a block. */
  allowances(question: AllowancesQuestion): Promise<AllowanceList>;
  /** Ether and every token that a wallet held at a block. */
  portfolio(question: PortfolioQuestion): Promise<Portfolio>;
  /** The size and hash of the code at an address at a block. */
  code(question: CodeQuestion): Promise<Code>;
  /** A token's total supply at a block. */
  supply(question: SupplyQuestion): Promise<Supply>;
  readonly value: {
    /** Readings of what contracts said a token was worth at a block; never a price of ours. */
    reads(question: ValueQuestion): Promise<ValueReads>;
  };
  readonly nft: {
    /** Who owned an ERC-721 token at a block. */
    owner(question: NftQuestion): Promise<NftOwner>;
    /** A wallet's balance of an ERC-1155 token at a block. */
    balance(question: NftQuestion & { readonly holder: string }): Promise<NftBalance>;
  };
  /** The worth of shares of an ERC-4626 vault at a block. */
  vault(question: VaultQuestion): Promise<VaultAssets>;
  /** Any view of any contract at a block. */
  call(question: CallQuestion): Promise<CallResults>;
  /** The same call at up to 1,000 points in time. */
  callSeries(question: CallSeriesQuestion): Promise<CallSeries>;
  /** Votes: scores of Snapshot's strategies at a block. */
  scores(question: ScoresQuestion): Promise<Scores>;
  /** Balances of any number of holders at one block, in their order; resumes by itself after a cut. */
  snapshot(
    holders: Iterable<string> | AsyncIterable<string>,
    question: SnapshotQuestion,
  ): AsyncGenerator<SnapshotRow, void>;
  readonly holders: {
    /** Every holder of a token at one block, in the order of addresses; resumes by itself after a cut. */
    list(question: HoldersQuestion): AsyncGenerator<TokenHolder, void>;
    /** A part of that list: what one request reads. */
    page(question: HoldersQuestion): Promise<HoldersPage>;
    /** The largest holders at one block, with their shares of the supply. */
    largest(question: LargestQuestion): Promise<LargestHolders>;
    /** The list as a Parquet file, or its part behind an address. */
    file(question: HoldersFileQuestion): Promise<HoldersFile>;
  };
  /** The block of a height, a date or a hash. */
  block(question?: BlockQuestion): Promise<Block>;
  /** All tokens, page after page. */
  tokens(question?: TokensQuestion): AsyncGenerator<ListedToken, void>;
  /** One token. */
  token(address: string, signal?: AbortSignal): Promise<Token>;
  readonly orders: {
    /** Signed orders as they are received, in order; resumes by itself after a cut. */
    stream(
      question?: OrdersQuestion & { readonly ends?: false | undefined },
    ): AsyncGenerator<OrderEvent, void>;
    /** The same, and how orders end once that is final, each once. */
    stream(question: OrdersQuestion): AsyncGenerator<OrderEvent | OrderEndEvent, void>;
    /** One order and its state. */
    get(orderHash: string, signal?: AbortSignal): Promise<Order>;
    /** Orders by state, accounts and type, newest first, page after page. */
    list(question?: OrderListQuestion): AsyncGenerator<Order, void>;
  };
  /**
   * The plan, the limit of the month, and the part that is used; also of an earlier month, or by endpoint,
   * status or key.
   */
  usage(question?: UsageQuestion | AbortSignal): Promise<Usage>;
  /**
   * The JSON answer of any endpoint, as the API reference describes it, with the key, retries and typed
   * errors.
   */
  request<T>(question: Question): Promise<T>;
  /** The networks that are served, and where each is. */
  networks(signal?: AbortSignal): Promise<readonly NetworkEntry[]>;
  /** The coin that `native` means on this client's network; asked for once. */
  nativeCoin(signal?: AbortSignal): Promise<NativeCoin>;
  /** The last block of each network at or before a moment: one date over all. */
  blocks(question: BlocksQuestion): Promise<readonly BlockEntry[]>;
  /** The same client for another network. */
  on(network: string): Client;
  /** In paths: `eth-mainnet`. */
  readonly network: string;
}

/** Creates a client. No request is made yet. */
export function createClient(options: ClientOptions): Client {
  return clientOf(options, new Map());
}

function clientOf(options: ClientOptions, coins: Transport['coins']): Client {
  const transport = new Transport(options, coins);
  return {
    balance: {
      at: ((question: BalanceQuestion) => balanceAt(transport, question)) as Client['balance']['at'],
      series: (question) => balanceSeries(transport, question),
      changes: (question) => balanceChanges(transport, question),
      changesOf: (question) => walletChanges(transport, question),
      statement: (question) => balanceStatement(transport, question),
      reconcile: (question) => reconcile(transport, question),
    },
    balances: { batch: (rows, signal) => balanceBatch(transport, rows, signal) },
    allowance: { at: (question) => allowanceAt(transport, question) },
    allowances: (question) => listAllowances(transport, question),
    portfolio: (question) => getPortfolio(transport, question),
    code: (question) => getCode(transport, question),
    supply: (question) => getSupply(transport, question),
    value: { reads: (question) => readValue(transport, question) },
    nft: {
      owner: (question) => getNftOwner(transport, question),
      balance: (question) => getNftBalance(transport, question),
    },
    vault: (question) => getVaultAssets(transport, question),
    call: (question) => callView(transport, question),
    callSeries: (question) => callSeries(transport, question),
    scores: (question) => getScores(transport, question),
    snapshot: (holders, question) => snapshot(transport, holders, question),
    holders: {
      list: (question) => listHolders(transport, question),
      page: (question) => holdersPage(transport, question),
      largest: (question) => largestHolders(transport, question),
      file: (question) => holdersFile(transport, question),
    },
    block: (question = {}) => blockAt(transport, question),
    tokens: (question) => listTokens(transport, question),
    token: (address, signal) => getToken(transport, address, signal),
    orders: {
      stream: ((question) => streamOrders(transport, question)) as Client['orders']['stream'],
      get: (orderHash, signal) => getOrder(transport, orderHash, signal),
      list: (question) => listOrders(transport, question),
    },
    usage: (question) => getUsage(transport, question),
    request: (question) => transport.json(question),
    networks: (signal) => listNetworks(transport, signal),
    blocks: (question) => blocksAt(transport, question),
    nativeCoin: (signal) => nativeCoin(transport, signal),
    on: (network) => clientOf({ ...options, network }, coins),
    network: transport.network,
  };
}
