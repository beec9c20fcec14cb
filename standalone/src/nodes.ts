import type { Network } from '@hindsight/chain/networks.ts';
import type { EthereumNode } from '@hindsight/chain/rpc/node.ts';
import { openNode } from '@hindsight/chain/pool/open-node.ts';
import type { Lifecycle } from '@hindsight/kernel/lifecycle.ts';
import type { Logger } from '@hindsight/kernel/logger.ts';
import type { Telemetry } from '@hindsight/kernel/telemetry/port.ts';
import { MAX_ANSWER_BYTES } from '@hindsight/tokens/service.ts';
import type { StandaloneConfig } from './config.ts';

/** The chain that is read, and whether it is the embedded one. */
export interface ChainAccess {
  readonly network: Network;
  readonly node: EthereumNode;
  /** The same nodes for the token index, whose large questions must not delay others. */
  readonly indexNode: EthereumNode;
  readonly embedded: boolean;
}

interface Deps {
  readonly lifecycle: Lifecycle;
  readonly logger: Logger;
  readonly telemetry: Telemetry;
}

/** The nodes of `ETH_RPC_URL`, or else the dev chain, started with this process and ended with it. */
export async function openChain(
  config: StandaloneConfig,
  network: Network,
  { lifecycle, logger, telemetry }: Deps,
): Promise<ChainAccess> {
  const urls = config.ETH_RPC_URL ?? [await startEmbedded(lifecycle, logger)];
  const limits = { urls, timeoutMs: config.ETH_RPC_TIMEOUT_MS };
  const node = openNode(limits, network, { logger, lifecycle, telemetry });
  const indexNode = openNode({ ...limits, maxBytes: MAX_ANSWER_BYTES }, network, { logger, lifecycle });
  return { network, node, indexNode, embedded: config.ETH_RPC_URL === undefined };
}

async function startEmbedded(lifecycle: Lifecycle, logger: Logger): Promise<string> {
  // The image does not hold it.
  const { startDevchain } = await import('@hindsight/devchain/devchain.ts').catch((cause: unknown) => {
    throw new Error('the dev chain is not installed here: set ETH_RPC_URL to an Ethereum node', { cause });
  });
  const devchain = await startDevchain({ log: (line) => logger.debug({ part: 'devchain' }, line) });
  lifecycle.onStop('dev chain', () => devchain.stop());
  return devchain.url;
}
