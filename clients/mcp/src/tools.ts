import type { Tool } from './tool.ts';
import { allowances } from './tools/allowances.ts';
import { balanceChanges } from './tools/balance-changes.ts';
import { balanceSeries } from './tools/balance-series.ts';
import { balances } from './tools/balances.ts';
import { blockAt } from './tools/block-at.ts';
import { explainChanges } from './tools/explain-changes.ts';
import { findToken } from './tools/find-token.ts';
import { getOrder } from './tools/get-order.ts';
import { listOrders } from './tools/list-orders.ts';
import { networks } from './tools/networks.ts';
import { portfolio } from './tools/portfolio.ts';
import { readContract } from './tools/read-contract.ts';
import { reconcile } from './tools/reconcile.ts';
import { statement } from './tools/statement.ts';
import { tokenHolders } from './tools/token-holders.ts';
import { usage } from './tools/usage.ts';
import { valueReads } from './tools/value-reads.ts';

export const TOOLS = [
  findToken,
  blockAt,
  balances,
  balanceSeries,
  balanceChanges,
  explainChanges,
  statement,
  reconcile,
  allowances,
  portfolio,
  tokenHolders,
  valueReads,
  readContract,
  getOrder,
  listOrders,
  networks,
  usage,
] as unknown as readonly Tool[];
