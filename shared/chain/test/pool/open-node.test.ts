import { startEmptyChain, type Anvil } from '@hindsight/devchain/anvil.ts';
import { createLifecycle, type Lifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ETH_MAINNET, type Network } from '../../src/networks.ts';
import { openNode } from '../../src/pool/open-node.ts';
import { PATIENT } from '../support/patient.ts';

const BASE: Network = { ...ETH_MAINNET, name: 'base-mainnet', chainId: 8453 };
const LIMITS = { ...PATIENT, probeMs: PATIENT.timeoutMs };
const NOWHERE = 'http://127.0.0.1:1';
const logger = createLogger({ name: 'test', level: 'silent' });
let mainnet: Anvil;
let lifecycle: Lifecycle;

beforeAll(async () => {
  mainnet = await startEmptyChain();
});
afterAll(() => mainnet.stop());
beforeEach(() => {
  lifecycle = createLifecycle(logger);
});
afterEach(async () => void (await lifecycle.shutdown('end of test')));

describe('a node of another chain, at the start of a process', () => {
  const refusal = (node: number): string =>
    `node ${node} (${new URL(mainnet.url).host}) is on chain 1, not on 8453: set a node of base-mainnet`;

  it('is refused with both chain ids', async () => {
    const settings = { urls: [mainnet.url], ...LIMITS };
    await expect(openNode(settings, BASE, { logger, lifecycle })).rejects.toThrow(refusal(1));
  });

  it('is refused beside others, even if those do not answer yet', async () => {
    const settings = { urls: [NOWHERE, mainnet.url], ...LIMITS };
    await expect(openNode(settings, BASE, { logger, lifecycle })).rejects.toThrow(refusal(2));
  });

  it('is no obstacle once it is set right, also beside a node that does not answer yet', async () => {
    const settings = { urls: [NOWHERE, mainnet.url], ...LIMITS };
    const node = await openNode(settings, ETH_MAINNET, { logger, lifecycle });
    expect(await node.send([{ method: 'eth_chainId', params: [] }])).toEqual([{ result: '0x1' }]);
  });

  it('is not looked for in further connections to verified nodes; their first question finds it', async () => {
    const settings = { urls: [mainnet.url], ...LIMITS, verified: true };
    const node = await openNode(settings, BASE, { logger, lifecycle });
    expect(node.health()[0]).not.toHaveProperty('carriage');
    await expect(node.send([{ method: 'eth_blockNumber', params: [] }])).rejects.toThrow('8453');
  });
});
