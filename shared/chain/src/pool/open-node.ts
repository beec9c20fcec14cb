import type { Lifecycle } from '@hindsight/kernel/lifecycle.ts';
import type { Logger } from '@hindsight/kernel/logger.ts';
import { createFailover, type Failover } from './failover.ts';
import { createJsonRpcNode } from '../rpc/json-rpc.ts';
import type { Network } from '../networks.ts';

interface NodeSettings {
  /** `ETH_RPC_URL`, in order of preference. */
  readonly urls: readonly string[];
  /** Milliseconds for one question, over all nodes. */
  readonly timeoutMs: number;
  /** Largest answer in bytes. */
  readonly maxBytes?: number;
}

/** Opens the nodes of a network as one; they are closed with the process. */
export function openNode(
  { urls, timeoutMs, maxBytes }: NodeSettings,
  network: Network,
  { logger, lifecycle }: { logger: Logger; lifecycle: Lifecycle },
): Failover {
  const bound = maxBytes === undefined ? {} : { maxBytes };
  const nodes = urls.map((url, i) =>
    createJsonRpcNode({ url, label: `node ${i + 1} (${new URL(url).host})`, timeoutMs, ...bound }),
  );
  const node = createFailover({ nodes, chainId: network.chainId, logger, limits: { timeoutMs } });
  lifecycle.onStop('Ethereum nodes', () => node.close());
  return node;
}
