import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sharedDevchain } from '@hindsight/tools/servers/shared-devchain.ts';
import type { Devchain } from '@hindsight/devchain/devchain.ts';
import { CHAIN, CONTRACTS, TOKENS } from '@hindsight/devchain/world.ts';
import { createJsonRpcNode } from './json-rpc.ts';
import { sendOne, type EthereumNode } from './node.ts';
import { fromRpcError } from './node-error.ts';
import type { NodeErrorKind } from './node-error-kind.ts';

type Row = readonly [who: string, code: number, message: string, kind: NodeErrorKind, data?: unknown];

const HASH = `0x${'ab'.repeat(32)}`;

const REVERTS: readonly Row[] = [
  ['geth, with a reason', 3, 'execution reverted: ERC20: low balance', 'reverted', '0x08c379a0'],
  ['geth, without', -32000, 'execution reverted', 'reverted', '0x'],
  ['erigon', -32000, 'execution reverted', 'reverted'],
  ['Besu', -32000, 'Execution reverted', 'reverted', '0x08c379a0'],
  ['Nethermind', -32015, 'VM execution error.', 'reverted', 'Reverted 0x08c379a0'],
  ['Nethermind, with a reason', -32015, 'VM execution error.', 'reverted', 'revert: missing trie node'],
  ['Hardhat', -32603, 'VM Exception while processing transaction: revert', 'reverted'],
  ['Infura, Alchemy', 3, 'execution reverted', 'reverted', '0x'],
  ['OpenEthereum', -32015, 'VM execution error.', 'reverted', 'Bad instruction fe'],
  // A contract chooses its own revert text.
  ['a contract that speaks of state', 3, 'execution reverted: missing trie node', 'reverted'],
  ['a contract that speaks of time', -32000, 'execution reverted: request timed out', 'reverted'],
  ['a contract that speaks of limits', -32000, 'execution reverted: rate limit exceeded', 'reverted'],
  ['geth', -32000, 'out of gas', 'reverted'],
  ['geth', -32000, 'err: out of gas (supplied gas 50000000)', 'reverted'],
  ['geth', -32000, 'invalid opcode: INVALID', 'reverted'],
  ['geth', -32000, 'stack underflow (0 <=> 1)', 'reverted'],
  ['geth', -32000, 'invalid jump destination', 'reverted'],
  ['geth', -32000, 'gas uint64 overflow', 'reverted'],
  ['Nethermind', -32015, 'VM execution error.', 'reverted', 'OutOfGas'],
  ['Reth', -32003, 'out of gas: gas required exceeds: 50000000', 'reverted'],
  ['Reth', -32603, 'EVM error: InvalidJump', 'reverted'],
  ['anvil', -32603, 'EVM error InvalidFEOpcode', 'reverted'],
];

const MISSING: readonly Row[] = [
  ['geth, hash scheme', -32000, `missing trie node ${'ab'.repeat(32)} (path ) <nil>`, 'missing-state'],
  [
    'geth',
    -32000,
    `missing trie node ${'ab'.repeat(32)} (path ) state ${HASH} is not available, not found`,
    'missing-state',
  ],
  ['geth, path scheme', -32000, `historical state ${HASH} is not available`, 'missing-state'],
  ['geth, path scheme', -32000, 'historical state is not available', 'missing-state'],
  ['geth', -32000, 'required historical state unavailable (reexec=128)', 'missing-state'],
  ['geth 1.16, hash scheme', -32000, 'not supported', 'missing-state'],
  ['geth, indexing', -32000, "state histories haven't been fully indexed yet", 'missing-state'],
  ['geth, expired history', 4444, 'pruned history unavailable', 'missing-state'],
  ['erigon', -32000, 'old data not available due to pruning', 'missing-state'],
  [
    'erigon',
    -32000,
    'seek with txNum=1962853355 but data before txNum=2662500000 is not available',
    'missing-state',
  ],
  ['Nethermind', -32002, `No state available for block ${HASH}`, 'missing-state'],
  ['Nethermind, without words', -32002, 'Resource unavailable', 'missing-state'],
  ['Nethermind', -32000, `missing trie node (path ) state ${HASH}`, 'missing-state'],
  [
    'Nethermind',
    -32603,
    'Internal error',
    'missing-state',
    'Nethermind.Trie.MissingTrieNodeException: Node A: P:2 H:0x99 is missing from the DB',
  ],
  ['Besu', -32000, 'World state unavailable', 'missing-state'],
  ['Besu', -32002, 'World state not available for block 387162', 'missing-state'],
  ['Reth', -32603, 'State at block #11052984 is pruned', 'missing-state'],
  ['Reth', -32602, 'distance to target block exceeds maximum proof window', 'missing-state'],
  [
    'OpenEthereum',
    -32000,
    'This request is not supported because your node is running with state pruning. Run with --pruning=archive.',
    'missing-state',
  ],
  [
    'publicnode',
    -32602,
    'Archive requests require a personal token. Get one at: https://www.allnodes.com/publicnode',
    'missing-state',
  ],
  ['a provider', -32000, 'archive access is not available on your plan, please upgrade', 'missing-state'],
];

const UNKNOWN: readonly Row[] = [
  ['geth', -32000, 'header not found', 'unknown-block'],
  ['geth', -32000, 'header for hash not found', 'unknown-block'],
  ['geth', -32000, 'hash is not currently canonical', 'unknown-block'],
  ['geth', -32000, 'finalized block not found', 'unknown-block'],
  ['erigon', -32000, 'block not found 11185311', 'unknown-block'],
  ['erigon', -32000, `hash ${HASH} is not currently canonical`, 'unknown-block'],
  ['erigon', -32000, `block 15359722(${HASH}) not found`, 'unknown-block'],
  ['Besu', -32000, 'Block not found', 'unknown-block'],
  ['Besu', -39001, 'Unknown block', 'unknown-block'],
  ['Nethermind', -32001, `Block ${HASH} could not be found`, 'unknown-block'],
  ['Nethermind', -32000, `${HASH} block is not canonical`, 'unknown-block'],
  ['Reth', -32001, `block not found: hash ${HASH}`, 'unknown-block'],
  ['Reth', -32603, 'no header found for block', 'unknown-block'],
  ['anvil, a hash', -32001, 'Resource not found', 'unknown-block'],
  [
    'anvil',
    -32602,
    'BlockOutOfRangeError: block height is 18000150 but requested was 18000151',
    'unknown-block',
  ],
];

const BUSY: readonly Row[] = [
  [
    'Alchemy',
    429,
    'Your app has exceeded its compute units per second capacity. If you have retries enabled, you can safely ignore this message.',
    'busy',
  ],
  ['Alchemy', 429, 'Monthly capacity limit exceeded.', 'busy'],
  ['Alchemy', -32001, 'Unable to complete request at this time.', 'busy'],
  ['Infura', -32005, 'daily request count exceeded, request rate limited', 'busy'],
  ['Infura', -32005, 'project ID request rate exceeded', 'busy'],
  ['Infura', 402, 'Payment Required', 'busy'],
  ['QuickNode', -32007, '50/second request limit reached - reduce calls per second', 'busy'],
  ['Chainstack', -32005, "You've exceeded the RPS limit available on the current plan.", 'busy'],
  ['Ankr', -32005, 'Too many requests', 'busy'],
  ['Ankr', -32055, "you've reached the free tier limit", 'busy'],
  ['a provider, with the code alone', -32005, 'slow down', 'busy'],
  ['BlastAPI', -32000, 'Rate-limit reached: requests limited to 25 per second', 'busy'],
  ['a gateway', -32603, 'service temporarily unavailable', 'busy'],
];

const OTHERS: readonly Row[] = [
  ['geth', -32000, 'execution aborted (timeout = 5s)', 'timeout'],
  ['erigon', -32000, 'execution aborted (timeout = 10s)', 'timeout'],
  ['geth', -32002, 'request timed out', 'timeout'],
  ['a gateway', -32603, 'context deadline exceeded', 'timeout'],
  ['Reth', -32000, 'execution timed out after 5s', 'timeout'],
  ['geth', -32601, 'the method eth_foo does not exist/is not available', 'refused'],
  ['geth', -32601, 'the method eth_getBlockByFoo does not exist/is not available', 'refused'],
  ['geth', -32602, 'invalid argument 0: hex string of odd length', 'refused'],
  ['geth', -32600, 'batch too large', 'refused'],
  ['a gateway', -32601, 'method eth_foo is not supported', 'refused'],
  ['geth', -32000, 'err: intrinsic gas too low: have 256, want 21064 (supplied gas 256)', 'refused'],
  ['anvil', -32003, 'max initcode size exceeded', 'refused'],
  ['geth', -32000, 'gas required exceeds allowance (30000000)', 'refused'],
  ['geth', -32000, 'intrinsic gas too low: gas 0, minimum needed 53000', 'refused'],
  ['geth', -32000, 'max initcode size exceeded: code size 60000 limit 49152', 'refused'],
  ['geth 1.17', -32000, 'contract creation code storage out of gas', 'refused'],
  ['geth 1.17', -32000, 'max code size exceeded', 'refused'],
  ['geth 1.17', -32000, 'insufficient gas for floor data gas cost: have 100000, want 3166728', 'refused'],
  ['geth 1.17', -32000, 'transaction gas limit too high (cap: 16777216, tx: 25000000)', 'refused'],
  ['Reth', -32003, 'transaction gas limit (25000000) is greater than the cap (16777216)', 'refused'],
  ['Reth', -32003, 'gas floor (3166728) exceeds the gas limit (1000000)', 'refused'],
  ['Besu', -32000, 'Initcode size of 131073 exceeds maximum size of 131072', 'refused'],
  ['a provider’s anvil', -32603, 'EVM error CreateContractSizeLimit', 'refused'],
  ['Infura, logs', -32005, 'query returned more than 10000 results', 'refused'],
  ['QuickNode, logs', -32614, 'eth_getLogs is limited to a 10,000 block range', 'refused'],
  ['erigon', -32000, 'method handler crashed', 'refused'],
  ['Besu', -32603, 'Internal error', 'refused'],
  ['any client', 0, 'an error without a message', 'refused'],
];

const nested = (depth: number): unknown => (depth === 0 ? '0x08c3' : { data: nested(depth - 1) });

describe('the kind of an error that a node answers', () => {
  it.each([...REVERTS, ...MISSING, ...UNKNOWN, ...BUSY, ...OTHERS])(
    '%s: %i "%s" is %s',
    (...[, code, message, kind, data]) => {
      const error = fromRpcError('node', { code, message, data });
      expect(error.kind).toBe(kind);
      expect(error.details.code).toBe(code);
    },
  );

  it('reads codes that are strings, and errors that are only strings', () => {
    expect(fromRpcError('node', { code: '429', message: 'no' }).kind).toBe('busy');
    expect(fromRpcError('node', 'header not found').kind).toBe('unknown-block');
    expect(fromRpcError('node', 7).kind).toBe('refused');
  });
});

describe('a real error of anvil', () => {
  let devchain: Devchain;
  let anvil: EthereumNode;
  beforeAll(async () => {
    devchain = await sharedDevchain(process.env);
    anvil = createJsonRpcNode({ url: devchain.url, timeoutMs: 60_000 });
  });
  afterAll(async () => {
    await anvil.close();
    await devchain.stop();
  });

  const supply = { to: TOKENS.uni.address, data: '0x18160ddd' };
  it.each<[about: string, call: object, block: unknown, kind: NodeErrorKind]>([
    ['an unknown block', supply, { blockHash: HASH, requireCanonical: true }, 'unknown-block'],
    ['a height above its head', supply, `0x${(CHAIN.head + 5).toString(16)}`, 'unknown-block'],
    ['a contract that burns all gas', { ...supply, to: CONTRACTS.gasBurner }, 'latest', 'reverted'],
    ['a revert', { data: '0x60006000fd' }, 'latest', 'reverted'],
    ['an invalid opcode', { data: '0xfe' }, 'latest', 'reverted'],
    ['a jump into nowhere', { data: '0x600456' }, 'latest', 'reverted'],
    ['an empty stack', { data: '0x01' }, 'latest', 'reverted'],
  ])('about %s', async (_about, call, block, kind) => {
    await expect(sendOne(anvil, 'eth_call', [call, block])).rejects.toMatchObject({ kind });
  });
});

describe('what an error quotes', () => {
  it('is short, on one line, and free of URLs and keys', () => {
    const message = `unauthorized\r\nkey s3cret-key-1 at wss://node.example/v2/other-key ${'x'.repeat(5_000)}`;
    const error = fromRpcError('node', { code: -32000, message }, ['s3cret-key-1']);
    expect(error.message).toMatch(/^node answered -32000: unauthorized key \[redacted\] at \[url\] x+$/);
    expect(error.message.length).toBeLessThan(400);
  });

  it.each<[who: string, data: unknown, returned: string | undefined]>([
    ['geth', '0x08c3', '0x08c3'],
    ['Parity, older Netherminds', 'Reverted 0x08c3', '0x08c3'],
    ['Hardhat', { message: 'reverted', txHash: HASH, data: '0x08c3' }, '0x08c3'],
    ['Ganache', { [HASH]: { error: 'revert', program_counter: 9, return: '0x08c3' }, name: 'c' }, '0x08c3'],
    ['a wallet', { originalError: { code: 3, data: '0x08c3' } }, '0x08c3'],
    ['one that strips it', undefined, undefined],
    ['one that has words', 'revert: no', 'revert: no'],
    ['half a byte', '0x08c', '0x08c'],
    ['an object without it', { message: '0x08c3', hash: HASH }, undefined],
    ['an object in objects without end', nested(9), undefined],
  ])('keeps what a revert returned: %s', (_who, data, returned) => {
    const error = fromRpcError('node', { code: 3, message: 'execution reverted', data });
    expect(error.details.data).toBe(returned);
  });
});
