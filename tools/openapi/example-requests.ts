/** Requests to the dev chain, so that the document shows real answers. */
import { HOLDERS, LANDMARKS, TOKENS } from '@hindsight/devchain/world.ts';
import { readFileSync } from 'node:fs';

export interface ExampleRequest {
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Refused queries, by status; a refused body, for a route that takes one. */
  readonly refused: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

const NETWORK = '/v1/eth-mainnet';
const { alice, market, bob, treasury } = HOLDERS;
const usdc = TOKENS.usdc.address;
const MILESTONE = '18000000';
/** At that block `alice` still lets `market` spend 750 UNI (the dev chain's README). */
const ALLOWED_AT = '17999900';

/** A signed Dutch_V2 order of a made-up swapper, with a deadline in the far future. */
const order: unknown = JSON.parse(readFileSync(new URL('order.json', import.meta.url), 'utf8'));

/** By `operationId`; the others are among `FIXED_EXAMPLES`. */
export const EXAMPLE_REQUESTS: Readonly<Record<string, ExampleRequest>> = {
  getTokenBalance: {
    path: `${NETWORK}/balance/single`,
    query: { token_address: usdc, holder: alice, block_height: MILESTONE },
    refused: {
      400: { token_address: usdc, holder: alice, blockHeight: MILESTONE },
      404: { token_address: usdc, holder: 'unregistered.eth', block_height: MILESTONE },
    },
  },
  getNativeBalance: {
    path: `${NETWORK}/balance/native`,
    query: { holder: 'alice.eth', block_height: MILESTONE },
    refused: { 400: { holder: alice, date: 'yesterday' }, 404: { holder: alice, block_height: '99999999' } },
  },
  getBalanceBatch: {
    path: `${NETWORK}/balance/batch`,
    query: {},
    body: [
      { token_address: usdc, holder: 'alice.eth', block_height: Number(MILESTONE) },
      { token_address: 'native', holder: bob, date: '2023-08-26T16:00:00Z' },
      { token_address: usdc, holder: 'unregistered.eth', block_height: Number(MILESTONE) },
    ],
    refused: { 400: { blockHeight: MILESTONE } },
  },
  getBalanceSnapshot: {
    path: `${NETWORK}/balance/snapshot`,
    query: { token_address: usdc, block_height: MILESTONE },
    body: `${alice}\n${bob}\ntreasury.eth\nnot-an-address\n`,
    refused: {
      400: { token_address: usdc, blockHeight: MILESTONE },
      404: { token_address: alice, block_height: MILESTONE },
    },
  },
  getTokenAllowance: {
    path: `${NETWORK}/allowance/single`,
    query: { token_address: TOKENS.uni.address, owner: alice, spender: market, block_height: ALLOWED_AT },
    refused: {
      400: { token_address: TOKENS.bayc.address, owner: alice, spender: market, block_height: MILESTONE },
      404: { token_address: TOKENS.uni.address, owner: bob, spender: market, block_height: ALLOWED_AT },
    },
  },
  getBlock: {
    path: `${NETWORK}/block`,
    query: { date: '2023-08-26T16:21:40Z' },
    refused: {
      400: { block_height: MILESTONE, date: '2023-08-26' },
      404: { block_hash: `0x${'0'.repeat(64)}` },
    },
  },
  getBalanceSeries: {
    path: `${NETWORK}/balance/series`,
    query: { token_address: usdc, holder: treasury, from: '17999998', to: '18000002', step: '2' },
    refused: {
      400: { token_address: usdc, holder: alice, from: '17999000', to: MILESTONE, step: '1' },
      404: { token_address: usdc, holder: alice, from: MILESTONE, to: '99999999', points: '10' },
    },
  },
  listBalanceChanges: {
    path: `${NETWORK}/balance/changes`,
    query: { token_address: usdc, holder: treasury, from: '17999900', to: '18000002', limit: '3' },
    refused: {
      400: { token_address: usdc, holder: alice, from: MILESTONE, to: '17999999' },
      404: { token_address: usdc, holder: alice, from: MILESTONE, to: '99999999' },
    },
  },
  listWalletChanges: {
    path: `${NETWORK}/wallet/changes`,
    query: {
      token_address: `${usdc},native`,
      holder: treasury,
      from: '17999990',
      to: '18000002',
      limit: '5',
    },
    refused: {
      400: { token_address: `${usdc},${usdc}`, holder: alice, from: '17999990', to: MILESTONE },
      404: { token_address: usdc, holder: alice, from: MILESTONE, to: '99999999' },
    },
  },
  getBalanceStatement: {
    path: `${NETWORK}/balance/statement`,
    query: { token_address: usdc, holder: treasury, from: '17999990', to: '18000002', step: '8' },
    refused: {
      400: { token_address: usdc, holder: alice, from: MILESTONE, to: '17999999', step: '1M' },
      404: { token_address: usdc, holder: alice, from: MILESTONE, to: '99999999', step: '1d' },
    },
  },
  reconcileBalance: {
    path: `${NETWORK}/balance/reconcile`,
    query: {},
    body: {
      token_address: usdc,
      holder: treasury,
      rows: [
        { block_height: 17_999_990, balance: '1250000000000' },
        { date: '2023-08-26T16:21:40Z', balance: '1250000000000' },
      ],
    },
    refused: {},
  },
  getPortfolio: {
    path: `${NETWORK}/portfolio`,
    query: { holder: 'alice.eth', block_height: MILESTONE },
    refused: {
      400: { owner: alice, block_height: MILESTONE },
      404: { holder: 'unregistered.eth', block_height: MILESTONE },
    },
  },
  listTokenAllowances: {
    path: `${NETWORK}/allowance/list`,
    query: { owner: 'alice.eth', block_height: ALLOWED_AT },
    refused: {
      400: { owner: '0x12', block_height: ALLOWED_AT },
      404: { owner: alice, block_height: '99999999' },
    },
  },
  getCode: {
    path: `${NETWORK}/code`,
    query: { address: usdc, block_height: MILESTONE },
    refused: {
      400: { address: '0x12', block_height: MILESTONE },
      404: { address: usdc, block_height: '99999999' },
    },
  },
  getTokenSupply: {
    path: `${NETWORK}/supply`,
    query: { token_address: usdc, block_height: MILESTONE },
    refused: {
      400: { token_address: TOKENS.items.address, block_height: MILESTONE },
      404: { token_address: TOKENS.bayc.address, block_height: MILESTONE },
    },
  },
  getNftOwner: {
    path: `${NETWORK}/nft/owner`,
    query: { token_address: TOKENS.bayc.address, token_id: '100', block_height: MILESTONE },
    refused: {
      400: { token_address: usdc, token_id: '100', block_height: MILESTONE },
      404: { token_address: TOKENS.bayc.address, token_id: '424242', block_height: MILESTONE },
    },
  },
  getNftBalance: {
    path: `${NETWORK}/nft/balance`,
    query: { token_address: TOKENS.items.address, holder: alice, token_id: '0', block_height: MILESTONE },
    refused: {
      400: { token_address: TOKENS.bayc.address, holder: alice, token_id: '0', block_height: MILESTONE },
      404: { token_address: bob, holder: alice, token_id: '0', block_height: MILESTONE },
    },
  },
  getVaultAssets: {
    path: `${NETWORK}/vault/assets`,
    query: {
      token_address: TOKENS.savings.address,
      holder: alice,
      block_height: String(LANDMARKS.savingsEarn),
    },
    refused: {
      400: { token_address: TOKENS.bayc.address, holder: alice, block_height: MILESTONE },
      404: { token_address: usdc, holder: alice, block_height: MILESTONE },
    },
  },
  getValueReads: {
    path: `${NETWORK}/value/reads`,
    query: { token_address: TOKENS.savings.address, block_height: String(LANDMARKS.savingsEarn) },
    refused: {
      400: { token_address: 'UNI', block_height: MILESTONE },
      404: { token_address: usdc, block_height: '99999999' },
    },
  },
  callView: {
    path: `${NETWORK}/call`,
    query: {},
    body: {
      target: TOKENS.bayc.address,
      function: 'ownerOf(uint256 id) view returns (address owner)',
      args: [['100'], ['424242']],
      block_height: Number(MILESTONE),
    },
    refused: {},
  },
  getCallSeries: {
    path: `${NETWORK}/call/series`,
    query: {},
    body: {
      target: TOKENS.savings.address,
      function: 'convertToAssets(uint256 shares) view returns (uint256 assets)',
      args: ['1000000000000000000'],
      from: LANDMARKS.savingsEarn - 4,
      to: LANDMARKS.savingsEarn,
      step: 2,
    },
    refused: {},
  },
  listNetworks: { path: '/v1/networks', query: {}, refused: { 400: { network: 'eth-mainnet' } } },
  getBlocksAtDate: {
    path: '/v1/blocks',
    query: { date: '2023-08-26T16:21:40Z' },
    refused: { 400: { date: 'yesterday' } },
  },
  getNetworksBalanceBatch: {
    path: '/v1/balance/batch',
    query: {},
    body: [
      { network: 'eth-mainnet', token_address: usdc, holder: 'alice.eth', block_height: Number(MILESTONE) },
      { network: 'eth-mainnet', token_address: 'native', holder: bob, date: '2023-08-26T16:00:00Z' },
      { network: 'sepolia', token_address: usdc, holder: bob },
    ],
    refused: { 400: { blockHeight: MILESTONE } },
  },
  getScores: {
    path: '/v1/scores',
    query: {},
    body: {
      params: {
        space: 'example.eth',
        network: '1',
        snapshot: Number(MILESTONE),
        strategies: [
          { name: 'erc20-balance-of', params: { address: usdc, symbol: 'USDC', decimals: 6 } },
          { name: 'ticket', params: { value: 100 } },
        ],
        addresses: [alice, bob],
      },
    },
    refused: {},
  },
  listTokens: {
    path: `${NETWORK}/token`,
    query: { token_type: 'erc20', limit: '2' },
    refused: { 400: { page: '0' } },
  },
  listTokenHolders: {
    path: `${NETWORK}/token/holders`,
    query: { token_address: usdc, block_height: '18000000', limit: '3' },
    refused: { 400: { limit: '0' }, 404: { token_address: alice } },
  },
  exportTokenHolders: {
    path: `${NETWORK}/token/holders/export`,
    query: { token_address: usdc, block_height: MILESTONE },
    refused: { 400: { limit: '0' }, 404: { token_address: alice } },
  },
  getHolderSeries: {
    path: `${NETWORK}/token/holders/series`,
    query: { token_address: usdc, from: '17999900', to: MILESTONE, points: '3' },
    refused: { 400: { points: '0' }, 404: { token_address: usdc, to: '99999999' } },
  },
  listTransfers: {
    path: `${NETWORK}/transfers`,
    query: { token_address: usdc, from: '17999900', to: '18000000', limit: '2' },
    refused: { 400: { limit: '2' }, 404: { token_address: usdc, to: '99999999' } },
  },
  getToken: {
    path: `${NETWORK}/token/single`,
    query: { token_address: usdc },
    refused: { 400: { token_address: '0x1234' }, 404: { token_address: alice } },
  },
  submitOrder: { path: `${NETWORK}/orders/dex-webhook`, query: {}, body: order, refused: {} },
};

/** Of a day of some month. */
const USAGE_EXAMPLE = {
  project: 'f81d4fae-7dec-4d0a-a765-00a0c91e6bf6',
  plan: 'free',
  period: { start: '2026-11-01T00:00:00.000Z', end: '2026-12-01T00:00:00.000Z' },
  requests: { used: 1312, limit: 100000, remaining: 98688 },
  orders: { received: 3 },
  daily: [
    { date: '2026-11-01', requests: 420 },
    { date: '2026-11-02', requests: 0 },
    { date: '2026-11-03', requests: 892 },
  ],
  as_of: '2026-11-03T14:20:05.123Z',
};

const stream = readFileSync(new URL('orders-stream.txt', import.meta.url), 'utf8');
const openOrder = {
  ...(JSON.parse(/^data: (.*)$/m.exec(stream)![1]!) as { readonly orderHash: string }),
  state: { status: 'open' },
};

/** Values of the parameters of paths. */
const PLACES: Readonly<Record<string, string>> = { network: 'eth-mainnet', orderHash: openOrder.orderHash };

/** A path of the document with a value in place of each parameter. */
export function filledPath(template: string): string {
  return template.replace(/\{(\w+)\}/g, (parameter, name: string) => PLACES[name] ?? parameter);
}

/** By `operationId`, for answers that depend on the time of the request. */
export const FIXED_EXAMPLES: Readonly<Record<string, unknown>> = {
  getUsage: USAGE_EXAMPLE,
  streamOrders: stream,
  getOrder: openOrder,
  listOrders: { network: 'eth-mainnet', chainId: 1, units: 1, next: null, orders: [openOrder] },
};
