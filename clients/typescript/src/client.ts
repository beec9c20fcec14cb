import { allowanceAt, type Allowance, type AllowanceQuestion } from './actions/allowance.ts';
import { balanceAt, type Balance, type BalanceQuestion } from './actions/balance.ts';
import { getToken, listTokens, type ListedToken, type Token, type TokensQuestion } from './actions/tokens.ts';
import { getUsage, type Usage } from './actions/usage.ts';
import { Transport, type ClientOptions } from './transport.ts';

/** Ethereum's past, typed. Every method takes a `signal`; every failure is a `HindsightError`. */
export interface Client {
  readonly balance: { at(question: BalanceQuestion): Promise<Balance> };
  readonly allowance: { at(question: AllowanceQuestion): Promise<Allowance> };
  /** All tokens, page after page. */
  tokens(question?: TokensQuestion): AsyncGenerator<ListedToken, void>;
  token(address: string, signal?: AbortSignal): Promise<Token>;
  usage(signal?: AbortSignal): Promise<Usage>;
}

/** Creates a client. No request is made yet. */
export function createClient(options: ClientOptions): Client {
  const transport = new Transport(options);
  return {
    balance: { at: (question) => balanceAt(transport, question) },
    allowance: { at: (question) => allowanceAt(transport, question) },
    tokens: (question) => listTokens(transport, question),
    token: (address, signal) => getToken(transport, address, signal),
    usage: (signal) => getUsage(transport, signal),
  };
}
