import { ofEachNetwork, type ReadinessCheck } from '@hindsight/kernel/readiness.ts';
import type { Failover } from './pool/failover.ts';
import { quantityToNumber } from './rpc/hex.ts';
import type { Network } from './networks.ts';
import { sendOne, type EthereumNode } from './rpc/node.ts';
import type { NodeHealth } from './pool/member.ts';

const NAME = 'ethereum node';

/** Reports whether a node answers, its head, and how each is doing where there are several behind a failover. */
export function nodeReadiness(
  node: EthereumNode & Partial<Pick<Failover, 'health' | 'learn'>>,
): ReadinessCheck {
  const withHealth = (text: string): string => {
    const health = node.health?.() ?? [];
    return [text, ...health.map(describe)].join('; ');
  };
  return {
    name: NAME,
    async check() {
      try {
        const [head] = await Promise.all([
          sendOne(node, 'eth_blockNumber', [], { timeoutMs: 1_200 }),
          node.learn?.({ timeoutMs: 1_200 }),
        ]);
        return withHealth(`head ${quantityToNumber(head)}`);
      } catch (error) {
        throw new Error(withHealth((error as Error).message), { cause: error });
      }
    },
  };
}

export function nodesReadiness(
  networks: readonly { readonly network: Network; readonly node: Parameters<typeof nodeReadiness>[0] }[],
): readonly ReadinessCheck[] {
  return ofEachNetwork(
    NAME,
    networks.map(({ network, node }) => ({ network, ...nodeReadiness(node) })),
  );
}

/** The label names the host only; a node's last error is in the log. */
function describe({ label, state, head, lag, carriage, finality, oldest }: NodeHealth): string {
  const behind = lag === undefined || lag === 0 ? '' : `, ${lag} behind`;
  const carrier = carriage === undefined ? '' : `, carrier ${carriage.carrier}`;
  const stale =
    finality?.believed === false ? `, finalized block too old: ${finality.age} behind the head` : '';
  return `${label}: ${state}${head === undefined ? '' : ` at ${head}${behind}`}${carrier}${stale}${describeKept(oldest)}`;
}

function describeKept(oldest: NodeHealth['oldest']): string {
  return Object.entries(oldest)
    .map(([resource, block]) => (block === Infinity ? `, no ${resource}` : `, ${resource} from ${block}`))
    .join('');
}
