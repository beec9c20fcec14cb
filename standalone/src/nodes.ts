import type { Network } from '@hindsight/chain/networks.ts';
import type { EthereumNode } from '@hindsight/chain/rpc/node.ts';
import { openNode } from '@hindsight/chain/pool/open-node.ts';
import type { Lifecycle } from '@hindsight/kernel/lifecycle.ts';
import type { Logger } from '@hindsight/kernel/logger.ts';
import type { Telemetry } from '@hindsight/kernel/telemetry/port.ts';
import { MAX_ANSWER_BYTES } from '@hindsight/tokens/service.ts';
import type { BegunChain } from './begin-chain.ts';
import type { StandaloneConfig } from './config.ts';

/** The chain that is read, and whether it is the embedded one. */
export interface ChainAccess {
  readonly network: Network;
  readonly node: EthereumNode;
  /** Further connections to the same nodes for the token index, so that its large queries delay no others. */
  readonly indexNode: EthereumNode;
  readonly embedded: boolean;
}

interface Deps {
  readonly lifecycle: Lifecycle;
  readonly logger: Logger;
  readonly telemetry: Telemetry;
}

/** The nodes of `ETH_RPC_URL`, or else the dev chain, which ends with this process. */
export async function openChain(
  config: StandaloneConfig,
  network: Network,
  { lifecycle, logger, telemetry }: Deps,
  begin: () => BegunChain,
): Promise<ChainAccess> {
  const urls = config.ETH_RPC_URL ?? [await openEmbedded(begin(), lifecycle, logger)];
  const limits = { urls, timeoutMs: config.ETH_RPC_TIMEOUT_MS };
  const [node, indexNode] = await Promise.all([
    openNode(limits, network, { logger, lifecycle, telemetry }),
    openNode({ ...limits, maxBytes: MAX_ANSWER_BYTES }, network, { logger, lifecycle }),
  ]);
  return { network, node, indexNode, embedded: config.ETH_RPC_URL === undefined };
}

async function openEmbedded(begun: BegunChain, lifecycle: Lifecycle, logger: Logger): Promise<string> {
  lifecycle.onStop('dev chain', () => begun.stop());
  begun.logTo((line) => logger.debug({ part: 'devchain' }, line));
  return (await begun.chain).url;
}
