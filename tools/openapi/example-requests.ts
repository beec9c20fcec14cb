/** Requests to the dev chain, so that the document shows real answers. */
import { HOLDERS, TOKENS } from '@hindsight/devchain/world.ts';
import { readFileSync } from 'node:fs';

/** Requests to one route. */
export interface ExampleRequest {
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Queries that are refused, by status; a body that is, for a route that takes one. */
  readonly refused: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

const NETWORK = '/v1/eth-mainnet';
const { alice, market, bob } = HOLDERS;
const usdc = TOKENS.usdc.address;
const MILESTONE = '18000000';
/** At that block `alice` still lets `market` spend 750 UNI (the dev chain's README). */
const ALLOWED_AT = '17999900';

/** A signed Dutch_V2 order of a made-up swapper, with a deadline in the far future. */
const order: unknown = JSON.parse(readFileSync(new URL('order.json', import.meta.url), 'utf8'));

/** By `operationId`; only `GET /v1/usage` is not here: its example is `USAGE_EXAMPLE`. */
export const EXAMPLE_REQUESTS: Readonly<Record<string, ExampleRequest>> = {
  getTokenBalance: {
    path: `${NETWORK}/balance/single`,
    query: { token_address: usdc, holder: alice, block_height: MILESTONE },
    refused: {
      400: { token_address: usdc, holder: alice, blockHeight: MILESTONE },
      404: { token_address: usdc, holder: 'nobody-has-this-name.eth', block_height: MILESTONE },
    },
  },
  getNativeBalance: {
    path: `${NETWORK}/balance/native`,
    query: { holder: 'alice.eth', block_height: MILESTONE },
    refused: { 400: { holder: alice, date: 'yesterday' }, 404: { holder: alice, block_height: '99999999' } },
  },
  getTokenAllowance: {
    path: `${NETWORK}/allowance/single`,
    query: { token_address: TOKENS.uni.address, owner: alice, spender: market, block_height: ALLOWED_AT },
    refused: {
      400: { token_address: TOKENS.bayc.address, owner: alice, spender: market, block_height: MILESTONE },
      404: { token_address: TOKENS.uni.address, owner: bob, spender: market, block_height: ALLOWED_AT },
    },
  },
  listTokens: {
    path: `${NETWORK}/token`,
    query: { token_type: 'erc20', limit: '2' },
    refused: { 400: { page: '0' } },
  },
  getToken: {
    path: `${NETWORK}/token/single`,
    query: { token_address: usdc },
    refused: { 400: { token_address: '0x1234' }, 404: { token_address: alice } },
  },
  submitOrder: { path: `${NETWORK}/orders/dex-webhook`, query: {}, body: order, refused: {} },
};

/** Of a day of some month: what a real answer says here depends on when it was asked. */
export const USAGE_EXAMPLE = {
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
