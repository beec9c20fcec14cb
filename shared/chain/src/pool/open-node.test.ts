/** The start of a process at nodes that cannot run programs, or do not answer yet. */
import { expect, it } from '@jest/globals';
import { createLifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { ETH_MAINNET } from '../networks.ts';
import type { EthereumNode, RpcOutcome } from '../rpc/node.ts';
import { NodeError } from '../rpc/node-error.ts';
import type { NodeErrorKind } from '../rpc/node-error-kind.ts';
import { joinNodes } from './open-node.ts';

const logger = createLogger({ name: 'test', level: 'silent' });

/** Opens nodes that answer everything but their chain with an error. @returns those that are closed at the end of the process */
async function openAndStop(...kinds: readonly NodeErrorKind[]): Promise<readonly string[]> {
  const closed: string[] = [];
  const nodes = kinds.map((kind, i): EthereumNode => {
    const label = `node ${i + 1}`;
    const error = new NodeError(kind, `it is ${kind}`);
    return {
      label,
      send: async (calls) =>
        calls.map(({ method }): RpcOutcome => (method === 'eth_chainId' ? { result: '0x1' } : { error })),
      close: async () => void closed.push(label),
    };
  });
  const lifecycle = createLifecycle(logger);
  await joinNodes(nodes, { timeoutMs: 60_000, probeMs: 60_000 }, ETH_MAINNET, { logger, lifecycle });
  await lifecycle.shutdown('the end of the test');
  return closed;
}

it('is refused where none can run a program, with the reason of each', async () => {
  await expect(openAndStop('refused')).rejects.toThrow(/^node 1 /);
  await expect(openAndStop('refused', 'refused')).rejects.toThrow(/^node 1 .*\nnode 2 /);
});

it('succeeds beside a node that may be able to, and closes the nodes with the process', async () => {
  expect(await openAndStop('refused', 'unreachable')).toEqual(['node 1', 'node 2']);
});
