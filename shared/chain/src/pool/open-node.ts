import type { Lifecycle } from '@hindsight/kernel/lifecycle.ts';
import type { Logger } from '@hindsight/kernel/logger.ts';
import type { Telemetry } from '@hindsight/kernel/telemetry/port.ts';
import { createFailover, type Failover } from './failover.ts';
import { measureNode, nodeDuration, reportHealth } from './measure-nodes.ts';
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

interface Deps {
  readonly logger: Logger;
  readonly lifecycle: Lifecycle;
  readonly telemetry?: Telemetry | undefined;
}

/** Opens the nodes of a network as one; they are closed with the process. */
export function openNode(
  { urls, timeoutMs, maxBytes }: NodeSettings,
  network: Network,
  { logger, lifecycle, telemetry }: Deps,
): Failover {
  const meter = telemetry?.meter('hindsight.chain');
  const duration = meter && nodeDuration(meter);
  const bound = maxBytes === undefined ? {} : { maxBytes };
  const nodes = urls.map((url, i) => {
    const label = `node ${i + 1} (${new URL(url).host})`;
    const node = createJsonRpcNode({ url, label, timeoutMs, ...bound });
    return duration === undefined ? node : measureNode(node, duration);
  });
  const node = createFailover({ nodes, chainId: network.chainId, logger, limits: { timeoutMs } });
  if (meter !== undefined) reportHealth(() => node.health(), meter);
  lifecycle.onStop('Ethereum nodes', () => node.close());
  return node;
}
