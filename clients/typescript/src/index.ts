/** The public exports of the package. */
export type { components } from './openapi.ts';
export { createClient, type Client } from './client.ts';
export type { Attempt, ClientOptions, Outcome, Question } from './transport.ts';
export { parseWhen, whenParams, type When, type WhenParams } from './when.ts';
export { formatUnits, NATIVE_DECIMALS } from './amount.ts';
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
export type { AllowanceList, AllowancesQuestion, OpenAllowance } from './actions/allowances.ts';
export type { AnyBalance, Balance, BalanceQuestion, NativeBalance } from './actions/balance.ts';
export type { BatchRow } from './actions/batch.ts';
export type { Block, BlockQuestion } from './actions/block.ts';
export type { CallQuestion, CallResults } from './actions/call.ts';
export type { BalanceChange, ChangesQuestion } from './actions/changes.ts';
export type { NftBalance, NftOwner, NftQuestion } from './actions/nft.ts';
export type { OrderEvent, OrdersQuestion, ReceivedOrder } from './actions/orders.ts';
export type { HeldToken, Portfolio, PortfolioQuestion } from './actions/portfolio.ts';
export type { Series, SeriesPoint, SeriesQuestion } from './actions/series.ts';
export type { SnapshotQuestion, SnapshotRow } from './actions/snapshot.ts';
export type { Supply, SupplyQuestion } from './actions/supply.ts';
export type { ListedToken, Token, TokensQuestion } from './actions/tokens.ts';
export type { Usage, UsageQuestion } from './actions/usage.ts';
export type { VaultAssets, VaultQuestion } from './actions/vault.ts';
