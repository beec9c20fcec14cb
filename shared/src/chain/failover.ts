/** Several nodes as one: asked in order of preference; what one cannot answer, the next is asked. */
import { resultOf, type EthereumNode, type RpcCall, type RpcOutcome } from './node.ts';
import { NodeError, type NodeErrorKind } from './node-error.ts';

/** Kinds of error that say nothing about the question, only about the node that was asked. */
const NODES_FAULT: ReadonlySet<NodeErrorKind> = new Set<NodeErrorKind>([
  'unreachable',
  'timeout',
  'busy',
  'malformed',
  'missing-state',
  'unknown-block',
]);

interface FailoverOptions {
  readonly nodes: readonly EthereumNode[];
  /** A node on another chain is never believed. */
  readonly chainId: number;
}

/** Joins nodes. With one node it adds the check of the chain id only. */
export function createFailover({ nodes, chainId }: FailoverOptions): EthereumNode {
  const members = nodes.map((node) => verifyChain(node, chainId));
  return {
    label: nodes.map((node) => node.label).join(', '),
    async send(calls, options) {
      let answer: readonly RpcOutcome[] | undefined;
      let failure: unknown = new NodeError('unreachable', 'no Ethereum node is configured');
      for (const node of members) {
        try {
          const outcomes = await node.send(calls, options);
          if (!outcomes.some(isNodesFault)) return outcomes;
          answer ??= outcomes;
        } catch (error) {
          if (!(error instanceof NodeError) || options?.signal?.aborted) throw error;
          failure = error;
        }
      }
      if (answer) return answer;
      throw failure;
    },
    close: async () => void (await Promise.all(nodes.map((node) => node.close()))),
  };
}

function isNodesFault(outcome: RpcOutcome): boolean {
  return 'error' in outcome && NODES_FAULT.has(outcome.error.kind);
}

/** Asks for the chain id along with the first question, in the same request. */
function verifyChain(node: EthereumNode, chainId: number): EthereumNode {
  let verified = false;
  return {
    ...node,
    async send(calls, options) {
      if (verified) return node.send(calls, options);
      const question: RpcCall = { method: 'eth_chainId', params: [] };
      const [answer, ...outcomes] = await node.send([question, ...calls], options);
      const found = resultOf(answer);
      if (typeof found !== 'string' || Number(found) !== chainId) {
        throw new NodeError('malformed', `${node.label} is on chain ${Number(found)}, not on ${chainId}`);
      }
      verified = true;
      return outcomes;
    },
  };
}
