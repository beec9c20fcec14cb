import { allowanceAt, type Allowance, type AllowanceQuestion } from './actions/allowance.ts';
import { balanceAt, type AnyBalance, type Balance, type BalanceQuestion, type NativeBalance } from './actions/balance.ts';
import { balanceBatch, type BatchRow } from './actions/batch.ts';
import { blockAt, type Block, type BlockQuestion } from './actions/block.ts';
import { snapshot, type SnapshotQuestion, type SnapshotRow } from './actions/snapshot.ts';
import { getToken, listTokens, type ListedToken, type Token, type TokensQuestion } from './actions/tokens.ts';
import { getUsage, type Usage } from './actions/usage.ts';
import type { ApiError } from './errors.ts';
import { Transport, type ClientOptions } from './transport.ts';

/** Ethereum's past, typed. Every method takes a `signal`; every failure is a `HindsightError`. */
export interface Client {
  readonly balance: {
    /** What a wallet held at a block. */
    at(question: BalanceQuestion & { readonly token: 'native' }): Promise<NativeBalance>;
    at(question: BalanceQuestion): Promise<Balance>;
  };
  readonly balances: {
    /** Many balances, each at a block of its own; an error in the place of an answer for each row that has none. */
    batch(rows: readonly BatchRow[], signal?: AbortSignal): Promise<(AnyBalance | ApiError)[]>;
  };
  readonly allowance: {
    /** What a spender could spend at a block. */
    at(question: AllowanceQuestion): Promise<Allowance>;
  };
  /** What many holders had at one block, in their order: any number, resumed by itself after a cut. */
  snapshot(
    holders: Iterable<string> | AsyncIterable<string>,
    question: SnapshotQuestion,
  ): AsyncGenerator<SnapshotRow, void>;
  /** The block of a height, a date or a hash. */
  block(question?: BlockQuestion): Promise<Block>;
  /** All tokens, page after page. */
  tokens(question?: TokensQuestion): AsyncGenerator<ListedToken, void>;
  /** One token. */
  token(address: string, signal?: AbortSignal): Promise<Token>;
  /** The plan, the limit of the month, and what of it is used. */
  usage(signal?: AbortSignal): Promise<Usage>;
}

/** Creates a client. No request is made yet. */
export function createClient(options: ClientOptions): Client {
  const transport = new Transport(options);
  return {
    balance: { at: balanceAt.bind(null, transport) as Client['balance']['at'] },
    balances: { batch: (rows, signal) => balanceBatch(transport, rows, signal) },
    allowance: { at: (question) => allowanceAt(transport, question) },
    snapshot: (holders, question) => snapshot(transport, holders, question),
    block: (question) => blockAt(transport, question),
    tokens: (question) => listTokens(transport, question),
    token: (address, signal) => getToken(transport, address, signal),
    usage: (signal) => getUsage(transport, signal),
  };
}
