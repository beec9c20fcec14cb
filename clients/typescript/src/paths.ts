/** The path of each operation: made of docs/openapi.json by `npm run build:openapi`. */
export const PATHS = {
  getTokenBalance: '/v1/{network}/balance/single',
  getNativeBalance: '/v1/{network}/balance/native',
  getTokenAllowance: '/v1/{network}/allowance/single',
  listTokenAllowances: '/v1/{network}/allowance/list',
  getPortfolio: '/v1/{network}/portfolio',
  getBlock: '/v1/{network}/block',
  getCode: '/v1/{network}/code',
  getTokenSupply: '/v1/{network}/supply',
  getNftOwner: '/v1/{network}/nft/owner',
  getNftBalance: '/v1/{network}/nft/balance',
  getVaultAssets: '/v1/{network}/vault/assets',
  getBalanceBatch: '/v1/{network}/balance/batch',
  getBalanceSnapshot: '/v1/{network}/balance/snapshot',
  getBalanceSeries: '/v1/{network}/balance/series',
  listBalanceChanges: '/v1/{network}/balance/changes',
  getBalanceStatement: '/v1/{network}/balance/statement',
  reconcileBalance: '/v1/{network}/balance/reconcile',
  callView: '/v1/{network}/call',
  listNetworks: '/v1/networks',
  getBlocksAtDate: '/v1/blocks',
  getNetworksBalanceBatch: '/v1/balance/batch',
  listTokens: '/v1/{network}/token',
  getToken: '/v1/{network}/token/single',
  listTokenHolders: '/v1/{network}/token/holders',
  listTransfers: '/v1/{network}/transfers',
  submitOrder: '/v1/{network}/orders/dex-webhook',
  streamOrders: '/v1/{network}/orders/stream',
  getUsage: '/v1/usage',
} as const;

/** The id of an operation. */
export type OperationId = keyof typeof PATHS;
