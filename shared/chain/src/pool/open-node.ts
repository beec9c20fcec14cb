import { systemClock } from '@hindsight/kernel/clock.ts';
import type { Platform } from '@hindsight/kernel/platform.ts';
import { proveCanonical } from './canonical-node.ts';
import { Failover } from './failover.ts';
import { ruleFinality } from './finality-node.ts';
import { nodeDuration, reportHealth } from './measure-nodes.ts';
import { refuseOtherKind } from './refuse-other-kind.ts';
import { createJsonRpcNode } from '../rpc/json-rpc.ts';
import type { NetworkNodes } from '../networks-file.ts';
import type { Network } from '../networks.ts';
import { readQuantity } from '../rpc/hex.ts';
import { sendOne, type EthereumNode } from '../rpc/node.ts';
import { observeNode } from '../rpc/observed-node.ts';
import { carryPrograms, noCarrier, type CarriedNode } from '../state/multicall/carriers/carried-node.ts';

interface NodeSettings {
  /** `ETH_RPC_URL`, in order of preference. */
  readonly urls: readonly string[];
  /** Milliseconds for one question, over all nodes. */
  readonly timeoutMs: number;
  /** True of further connections to nodes that are verified when their first ones open. */
  readonly verified?: boolean | undefined;
  /** Milliseconds for what is asked at the start, for all nodes together; 3,000 by default. */
  readonly probeMs?: number | undefined;
}

type Deps = Pick<Platform, 'logger' | 'lifecycle' | 'telemetry'>;

interface Within {
  readonly timeoutMs: number;
}

/**
 * For all nodes together: one that is slow to report its abilities gets the question again with its first
 * use.
 */
const PROBE_MS = 3_000;

/**
 * Opens the nodes of a network as one; they are closed with the process.
 * @throws {Error} if one of them is on another chain or on one of another kind, or if all of them answer and none can run a
 * program
 */
export async function openNode(
  { urls, timeoutMs, verified, probeMs }: NodeSettings,
  network: Network,
  { logger, lifecycle, telemetry }: Deps,
): Promise<Failover> {
  const meter = telemetry?.meter('hindsight.chain');
  const duration = meter && nodeDuration(meter);
  const nodes = urls.map((url, i) => {
    const label = `node ${i + 1} (${new URL(url).host})`;
    return observeNode(createJsonRpcNode({ url, label, timeoutMs }), network.name, duration);
  });
  const node = await joinNodes(nodes, { timeoutMs, verified, probeMs }, network, { logger, lifecycle });
  if (meter !== undefined) reportHealth(() => node.health(), network.name, meter);
  return node;
}

export interface OpenedNetwork {
  readonly network: Network;
  readonly node: Failover;
}

/**
 * Opens the nodes of each network, with limits of their own: one whose nodes do not answer takes nothing from another.
 * @throws {Error} as openNode
 */
export function openNodes(
  networks: readonly NetworkNodes[],
  limits: Omit<NodeSettings, 'urls'>,
  deps: Deps,
): Promise<readonly OpenedNetwork[]> {
  return Promise.all(
    networks.map(async ({ network, urls }) => ({
      network,
      node: await openNode({ ...limits, urls }, network, deps),
    })),
  );
}

/**
 * Joins the nodes of a network to one; they are closed with the process.
 * @param asked in order of preference
 * @throws {Error} as openNode
 */
export async function joinNodes(
  asked: readonly EthereumNode[],
  {
    timeoutMs,
    verified = false,
    probeMs = PROBE_MS,
  }: Pick<NodeSettings, 'timeoutMs' | 'verified' | 'probeMs'>,
  network: Network,
  { logger, lifecycle }: Omit<Deps, 'telemetry'>,
): Promise<Failover> {
  const nodes = asked.map((one) => {
    const carried = carryPrograms(one, { network, clock: systemClock, logger });
    const proven = network.ignoresCanonical ? proveCanonical(carried) : carried;
    return ruleFinality(proven, network.finality, logger);
  });
  const node = new Failover({ nodes, chainId: network.chainId, logger, limits: { timeoutMs } });
  lifecycle.onStop(`Ethereum nodes of ${network.name}`, () => node.close());
  const within = { timeoutMs: probeMs };
  await Promise.all([node.learn(within), ...(verified ? [] : verify(nodes, network, within))]);
  return node;
}

function verify(nodes: readonly CarriedNode[], network: Network, within: Within): readonly Promise<void>[] {
  return [
    refuseOtherChains(nodes, network, within),
    refuseWithoutCarrier(nodes, within),
    ...nodes.map((one) => refuseOtherKind(one, network, within)),
  ];
}

/** One on another chain is a wrong setting, even where the others of the pool could answer in its place. */
async function refuseOtherChains(
  nodes: readonly EthereumNode[],
  { name, chainId }: Network,
  within: Within,
): Promise<void> {
  const wrong = await Promise.all(
    nodes.map(async (node) => {
      // The pool checks one that does not answer yet with its first question.
      const id = await sendOne(node, 'eth_chainId', [], within).catch(() => undefined);
      const found = readQuantity(id);
      if (found === undefined || found === chainId) return undefined;
      return `${node.label} is on chain ${found}, not on ${chainId}: set a node of ${name}`;
    }),
  );
  const reasons = wrong.filter((reason) => reason !== undefined);
  if (reasons.length > 0) throw new Error(reasons.join('\n'));
}

async function refuseWithoutCarrier(nodes: readonly CarriedNode[], within: Within): Promise<void> {
  const unable = await Promise.all(
    nodes.map(async (node) => {
      // One that does not answer yet may be able.
      const carriage = await node.probe(within).catch(() => undefined);
      return carriage?.carrier === 'none' ? noCarrier(node.label, carriage.reasons) : undefined;
    }),
  );
  if (unable.length > 0 && unable.every((reason) => reason !== undefined)) throw new Error(unable.join('\n'));
}
