/** What the package exports. */
export { createClient, type Client } from './client.ts';
export type { Attempt, ClientOptions, Outcome } from './transport.ts';
export type { When } from './when.ts';
export { formatUnits } from './amount.ts';
export {
  ApiError,
  ConnectionError,
  Forbidden,
  HindsightError,
  InvalidAnswer,
  InvalidRequest,
  NotFound,
  RateLimited,
  ServerError,
  TimeoutError,
  Unauthorized,
} from './errors.ts';
export type { Allowance, AllowanceQuestion } from './actions/allowance.ts';
export type { Balance, BalanceQuestion } from './actions/balance.ts';
export type { ListedToken, Token, TokensQuestion } from './actions/tokens.ts';
export type { Usage } from './actions/usage.ts';
