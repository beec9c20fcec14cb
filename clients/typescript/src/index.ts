/** The public exports of the package. */
export type { components } from './openapi.ts';
export { createClient, type Client } from './client.ts';
export type { Attempt, ClientOptions, Outcome, Question } from './transport.ts';
export { parseWhen, whenParams, type When, type WhenParams } from './when.ts';
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
export type { BatchRow } from './actions/batch.ts';
export type { CallQuestion, CallResults, CallSeries, CallSeriesQuestion } from './actions/call.ts';
export type { BalanceChange, ChangesPage, ChangesQuestion } from './actions/changes.ts';
export type {
  HeldQuestion,
  HolderFacts,
  HolderTotals,
  HoldersPage,
  HoldersQuestion,
  TokenHolder,
} from './actions/holders.ts';
export type { HolderFileFacts, HoldersFile, HoldersFileQuestion } from './actions/holders-file.ts';
export type { LargestHolder, LargestHolders, LargestQuestion } from './actions/largest-holders.ts';
export type {
  Order,
  OrderEndEvent,
  OrderEvent,
  OrderListQuestion,
  OrdersQuestion,
  ReceivedOrder,
} from './actions/orders.ts';
export type {
  Allowance,
  AllowanceList,
  AllowanceQuestion,
  AllowancesQuestion,
  AnyBalance,
  Balance,
  BalanceQuestion,
  Block,
  BlockQuestion,
  HeldToken,
  NativeBalance,
  NftBalance,
  NftOwner,
  NftQuestion,
  OpenAllowance,
  Portfolio,
  PortfolioQuestion,
  Code,
  CodeQuestion,
  Supply,
  SupplyQuestion,
  ValueQuestion,
  ValueRead,
  ValueReads,
  VaultAssets,
  VaultQuestion,
} from './actions/reads.ts';
export type { BlockEntry, BlocksQuestion, NativeCoin, NetworkEntry } from './actions/networks.ts';
export type { BookedRow, ReconcileQuestion, Reconciliation } from './actions/reconcile.ts';
export type { Scores, ScoresQuestion } from './actions/scores.ts';
export type { Series, SeriesPoint, SeriesQuestion } from './actions/series.ts';
export type { SnapshotQuestion, SnapshotRow } from './actions/snapshot.ts';
export type { WalletChange, WalletChangesQuestion } from './actions/wallet-changes.ts';
export type { Statement, StatementPeriod, StatementQuestion } from './actions/statement.ts';
export type { ListedToken, Token, TokensQuestion } from './actions/tokens.ts';
export type { Usage, UsageQuestion } from './actions/usage.ts';
