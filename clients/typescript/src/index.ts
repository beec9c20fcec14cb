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
export type { AnyBalance, Balance, BalanceQuestion, NativeBalance } from './actions/balance.ts';
export type { BatchRow } from './actions/batch.ts';
export type { Block, BlockQuestion } from './actions/block.ts';
export type { SnapshotQuestion, SnapshotRow } from './actions/snapshot.ts';
export type { ListedToken, Token, TokensQuestion } from './actions/tokens.ts';
export type { Usage } from './actions/usage.ts';
