import type { Network } from '@hindsight/chain/networks.ts';
import type { Failover } from '@hindsight/chain/pool/failover.ts';
import type { EthereumNode } from '@hindsight/chain/rpc/node.ts';
import type { Block } from '@hindsight/chain/state/block.ts';
import { readHeaders } from '@hindsight/chain/state/headers.ts';
import { badGateway } from '@hindsight/kernel/errors.ts';
import type { NetworkNow, NetworkState } from '../ports.ts';
import { publicly } from './public-error.ts';

type Watched = Partial<Pick<Failover, 'health'>>;

/** The first block whose state a node has said it can prove; null where none has. */
export function proofsFrom(node: Watched): number | null {
  const first = Math.min(...keptBy(node).map(({ stateproofs = Infinity }) => stateproofs));
  return Number.isFinite(first) ? first : null;
}

/**
 * Reads where a network is, and what its nodes have said that they keep.
 * @param hasNames true if names are resolved, here or on another network
 */
export function networkState(
  { network, node }: { readonly network: Network; readonly node: EthereumNode & Watched },
  hasNames: boolean,
): NetworkState {
  const read = async (signal: AbortSignal): Promise<NetworkNow> => {
    const [[head, finalized], [earliest]] = await Promise.all([
      publicly(readHeaders(node, ['latest', 'finalized'], signal)),
      // One that has dropped old blocks may have no answer.
      readHeaders(node, ['earliest'], signal).catch(() => [null]),
    ]);
    if (!head) throw badGateway('node_failed', 'The Ethereum node named no latest block.');
    const kept = keptBy(node);
    // A node that has not said what it keeps may have all of it.
    const first = Math.min(...kept.map(({ state = 0 }) => state));
    return {
      head: named(head),
      finalized: finalized ? named(finalized) : null,
      firstBlock: Math.max(
        network.firstBlock ?? 0,
        earliest?.number ?? 0,
        Number.isFinite(first) ? first : 0,
      ),
      hasLogs: kept.length === 0 || kept.some(({ logs = 0 }) => Number.isFinite(logs)),
      proofsFrom: proofsFrom(node),
    };
  };
  return { network, hasNames, read };
}

function keptBy(node: Watched) {
  return (node.health?.() ?? []).map(({ oldest }) => oldest);
}

function named({ number, hash, timestamp }: Block): NetworkNow['head'] {
  return { number, hash, timestamp };
}
