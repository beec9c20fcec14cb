/** Refusals of `eth_getLogs` by nodes and providers, word for word, and the errors made of them. */
import { describe, expect, it } from '@jest/globals';
import type { NodeErrorKind } from '../rpc/node-error-kind.ts';
import { fromRpcError } from '../rpc/node-error.ts';
import { RangeTooLarge } from './block-range.ts';
import { toRangeTooLarge } from './range-limit.ts';

const ASKED = { from: 0x1000, to: 0x1000 + 999_999 };

type Row = readonly [who: string, code: number, text: string];

/** The range is too large; the number is what the text proposes. */
const TOO_LARGE: readonly (readonly [...Row, proposed: number | undefined])[] = [
  [
    'Alchemy',
    -32_602,
    'Log response size exceeded. You can make eth_getLogs requests with up to a 2K block range and no limit on the response size. Based on your parameters, this block range should work: [0x1000, 0x1063]',
    100,
  ],
  [
    'Alchemy, free',
    -32_600,
    'Under the Free tier plan, you can make eth_getLogs requests with up to a 10 block range. Based on your parameters, this block range should work: [0x1000, 0x1009]. Upgrade to PAYG for expanded block range.',
    10,
  ],
  [
    'Infura, by results',
    -32_005,
    'query returned more than 10000 results. Try with this block range [0x1000, 0x100f].',
    16,
  ],
  ['Infura, by blocks', -32_602, 'range 1000000 exceeds limit of 10000', 10_000],
  ['Infura, by time', -32_005, 'query timeout exceeded', undefined],
  ['QuickNode', -32_614, 'eth_getLogs is limited to a 10,000 range', 10_000],
  ['QuickNode', -32_602, 'eth_getLogs and eth_newFilter are limited to a 10,000 blocks range', 10_000],
  ['QuickNode, free', -32_615, 'eth_getLogs is limited to a 5 block range', 5],
  ['Ankr', -32_600, 'block range is too wide', undefined],
  ['Ankr', -32_062, 'Block range is too large', undefined],
  ['Ankr', -32_602, 'maximum [from, to] blocks distance: 2000', 2_000],
  ['Reth', -32_602, 'query exceeds max block range 100000', 100_000],
  ['Reth', -32_602, 'query exceeds max results 20000, retry with the range 4096-4195', 100],
  ['Besu', -32_005, 'Requested range exceeds maximum RPC range limit', undefined],
  ['Besu', -32_005, 'Requested range exceeds maximum range limit: 5000', 5_000],
  ['Erigon', -32_005, 'block range too large, max range: 1000', 1_000],
  ['Nethermind', -32_005, 'Too many logs requested. Max logs per response is 20000.', undefined],
  ['geth, bor', -32_000, 'block range greater than 5000 max', 5_000],
  ['geth, by bytes', -32_003, 'response too large', undefined],
  ['nitro', -32_000, 'logs matched by query exceeds limit of 10000', undefined],
  ['Scroll', -32_000, 'block range is bigger than maxBlockRange', undefined],
  [
    'Morph',
    -32_000,
    'block range is larger than max block range, block range = 5120, max block range = 5000',
    5_000,
  ],
  ['Avalanche', -32_000, 'requested too many blocks from 4096 to 1004095, maximum is set to 2048', 2_048],
  ['Moonbeam', -32_603, 'block range is too wide (maximum 1024)', 1_024],
  ['Somnia', -32_000, 'block range exceeds 1000', 1_000],
  ['Harmony', -32_000, 'query must be smaller than size 1024', 1_024],
  ['publicnode', -32_701, 'exceed maximum block range: 50000', 50_000],
  [
    'Cloudflare',
    -32_047,
    "Invalid eth_getLogs request. 'fromBlock'-'toBlock' range too large. Max range: 800",
    800,
  ],
  ['dRPC', 35, 'ranges over 10000 blocks are not supported on freetier', 10_000],
  ['dRPC', 30, 'eth_getLogs range is too large, max is 10k blocks', 10_000],
  ['LlamaRPC', -32_000, 'eth_getLogs range is too large, max is 1k blocks', 1_000],
  [
    'Chainstack',
    -32_602,
    'Block range limit exceeded. See more details at https://docs.chainstack.com/docs/limits#evm-range-limits',
    undefined,
  ],
  ['Blast', -32_600, 'eth_getLogs range exceeds the range allowed for your plan (999999 > 500)', 500],
  ['1RPC', -32_602, 'eth_getLogs is limited to a 50 blocks range', 50],
  ['1RPC, by bytes', -32_602, 'response size should not greater than 10000000 bytes', undefined],
  [
    'BlockPI',
    -32_602,
    'eth_getLogs is limited to 1024 block range. Please check the parameter requirements',
    1_024,
  ],
  ['Coinbase', -32_005, 'please limit the query to at most 1000 blocks', 1_000],
  ['thirdweb', -32_602, 'Maximum allowed number of requested blocks is 1000', 1_000],
  ['Optimism', -32_020, 'backend response too large', undefined],
  ['BNB', -32_602, 'exceed max block range: 5000', 5_000],
  ['a gateway', -32_600, 'block range too high', undefined],
  ['a gateway', -32_602, 'invalid block range: too many blocks to process', undefined],
  ['Pocket', -32_602, 'query block range exceeds server limit, narrow your filter: 5000', 5_000],
];

/** Not about the size: a smaller range would be refused too. */
const OTHERS: readonly (readonly [...Row, kind: NodeErrorKind])[] = [
  ['geth 1.16', -32_000, 'invalid block range params', 'unknown-block'],
  ['geth 1.17, Reth, ethrex', -32_602, 'block range extends beyond current head block', 'unknown-block'],
  [
    'publicnode',
    -32_602,
    'block range extends beyond current head block: requested 125011129, head 125011127',
    'unknown-block',
  ],
  ['Nethermind', -32_602, 'requested block range is in the future', 'unknown-block'],
  ['ethrex', -32_603, 'Internal Error: Could not get header for block 125011129', 'unknown-block'],
  ['Avalanche', -32_000, 'requested to block 125011129 after last accepted block 125011127', 'unknown-block'],
  [
    'anvil',
    -32_602,
    'BlockOutOfRangeError: block height is 18000150 but requested was 18000246',
    'unknown-block',
  ],
  ['a gateway', -32_000, 'block out of range', 'unknown-block'],
  ['geth, by hash', -32_000, 'unknown block', 'unknown-block'],
  ['geth, expired history', 4444, 'pruned history unavailable', 'missing-state'],
  ['publicnode', -32_602, 'Archive requests require a personal token', 'missing-state'],
  ['geth', -32_601, 'the method eth_getLogs does not exist/is not available', 'refused'],
  ['a gateway', -32_601, 'Method not found', 'refused'],
  ['a gateway', -32_004, 'method is not whitelisted', 'refused'],
  ['a gateway', -32_600, 'Must be authenticated!', 'refused'],
  ['a gateway', -32_000, 'invalid api key', 'refused'],
  ['BNB', -32_005, 'limit exceeded', 'busy'],
  ['BNB', -32_005, 'method eth_getLogs in batch triggered rate limit', 'busy'],
  ['Merkle', -32_005, 'Rate limit exceeded', 'busy'],
  ['Alchemy', 429, 'Your app has exceeded its compute units per second capacity', 'busy'],
  ['Base', -32_011, 'no backend is currently healthy to serve traffic', 'busy'],
];

describe('an answer to eth_getLogs', () => {
  it.each(TOO_LARGE)('of %s, %i %j, means that the range is too large', (_who, code, message, proposed) => {
    const error = toRangeTooLarge(fromRpcError('node', { code, message }), ASKED);
    expect(error).toBeInstanceOf(RangeTooLarge);
    expect((error as RangeTooLarge).proposed).toBe(proposed);
    // The pool must take it neither for a rate limit nor for a fault of the node.
    expect(['refused', 'timeout']).toContain(fromRpcError('node', { code, message }).kind);
  });

  it.each(OTHERS)('of %s, %i %j, says nothing of the size', (_who, code, message, kind) => {
    const error = fromRpcError('node', { code, message });
    expect(error.kind).toBe(kind);
    expect(toRangeTooLarge(error, ASKED)).toBe(error);
  });

  it.each([
    ['in words that are not known', { code: -32_603, message: 'Internal error' }],
    ['of a node that took too long', { code: -32_000, message: 'execution aborted (timeout = 5s)' }],
  ])('%s may mean that it is too large', (_which, answer) => {
    expect(toRangeTooLarge(fromRpcError('node', answer), ASKED)).toBeInstanceOf(RangeTooLarge);
    const one = fromRpcError('node', answer);
    expect(toRangeTooLarge(one, { from: 7, to: 7 })).toBe(one);
  });
});
