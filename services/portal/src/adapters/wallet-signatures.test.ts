import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startEmptyChain, type Anvil } from '@hindsight/devchain/anvil.ts';
import { ETH_MAINNET } from '@hindsight/chain/networks.ts';
import { sendOne, type EthereumNode } from '@hindsight/chain/rpc/node.ts';
import { openNode } from '@hindsight/chain/pool/open-node.ts';
import { systemClock } from '@hindsight/kernel/clock.ts';
import { createLifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { Wallet } from 'ethers';
import { createWalletSignatures } from './wallet-signatures.ts';

const logger = createLogger({ name: 'test', level: 'silent' });
const lifecycle = createLifecycle(logger);
const wallet = Wallet.createRandom();
const [AGREES, REFUSES, REVERTS] = ['a1', 'a2', 'a3'].map((end) => `0x${'00'.repeat(19)}${end}`) as [
  string,
  string,
  string,
];
/** Contracts that answer everything with ERC-1271's magic value, with nothing, and with a revert. */
const CODE = {
  [AGREES]: '0x631626ba7e60e01b60005260206000f3',
  [REFUSES]: '0x60206000f3',
  [REVERTS]: '0x60006000fd',
};
let chain: Anvil;
let node: EthereumNode;

beforeAll(async () => {
  chain = await startEmptyChain();
  node = await openNode({ urls: [chain.url], timeoutMs: 60_000 }, ETH_MAINNET, { logger, lifecycle });
  for (const [address, code] of Object.entries(CODE)) await sendOne(node, 'anvil_setCode', [address, code]);
  await sendOne(node, 'evm_mine', []);
});
afterAll(async () => {
  await lifecycle.shutdown('end of test');
  await chain.stop();
});

const open = (over: EthereumNode) =>
  createWalletSignatures({ node: over, network: ETH_MAINNET, clock: systemClock });

it('a key signs for its own address, without a node', async () => {
  const signatures = createWalletSignatures(undefined);
  const signature = await wallet.signMessage('hello');
  expect(await signatures.check(wallet.address, 'hello', signature)).toBe('right');
  expect(await signatures.check(wallet.address, 'hallo', signature)).toBe('wrong');
  expect(await signatures.check(AGREES, 'hello', signature)).toBe('wrong');
});

it('a contract decides which signatures are its own', async () => {
  const signatures = open(node);
  for (const signature of ['0x', await wallet.signMessage('hello'), `0x${'ab'.repeat(500)}`]) {
    expect(await signatures.check(AGREES, 'hello', signature)).toBe('right');
    expect(await signatures.check(REFUSES, 'hello', signature)).toBe('wrong');
    expect(await signatures.check(REVERTS, 'hello', signature)).toBe('wrong');
    // There is no contract at this address.
    expect(await signatures.check(`0x${'00'.repeat(19)}a9`, 'hello', signature)).toBe('wrong');
  }
});

it('the outcome is unknown while the node is unreachable', async () => {
  const nowhere = await openNode({ urls: ['http://127.0.0.1:1'], timeoutMs: 500 }, ETH_MAINNET, {
    logger,
    lifecycle,
  });
  expect(await open(nowhere).check(AGREES, 'hello', '0x')).toBe('unknown');
});
