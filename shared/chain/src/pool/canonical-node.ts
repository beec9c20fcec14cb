/**
 * A node that proves that blocks are canonical where it ignores EIP-1898's `requireCanonical`, as Nitro does
 * (github.com/OffchainLabs/go-ethereum, arbitrum/apibackend.go: `headerByNumberOrHashImpl`): it answers from any block that it
 * knows, also from one that was reorganised away. So each request also asks for the header at the block's height.
 */
import { resultOf, type EthereumNode, type RpcCall, type RpcOutcome } from '../rpc/node.ts';
import { NodeError } from '../rpc/node-error.ts';
import { headerCall, readBlock } from '../state/block.ts';

/** Gives a node's answers by hash the proof that it leaves out. */
export function proveCanonical<N extends EthereumNode>(node: N): N {
  return {
    ...node,
    async send(calls, options) {
      const heights = new Set(calls.flatMap((call) => (hashIn(call) === undefined ? [] : [heightOf(call)])));
      if (heights.size === 0) return node.send(calls, options);
      const headers = [...heights].map(headerCall);
      // Behind the questions: what is canonical after an answer was canonical during it, but for a chain that turns back.
      const outcomes = await node.send([...calls, ...headers], options);
      const canonical = new Map([...heights].map((height, i) => [height, outcomes[calls.length + i]!]));
      return calls.map((call, at) => {
        const hash = hashIn(call);
        const denial = hash && denialOf(node, hash, heightOf(call), canonical.get(heightOf(call)));
        return denial ? { error: denial } : outcomes[at]!;
      });
    },
  };
}

/** The hash of a call's block, if it must be canonical. */
function hashIn({ params }: RpcCall): string | undefined {
  for (const param of params) {
    const { blockHash, requireCanonical } = (param ?? {}) as Readonly<Record<string, unknown>>;
    if (requireCanonical === true && typeof blockHash === 'string') return blockHash;
  }
  return undefined;
}

function heightOf({ method, height }: RpcCall): number {
  if (height === undefined) throw new TypeError(`${method} by hash is sent without its block’s height`);
  return height;
}

function denialOf(
  { label }: EthereumNode,
  hash: string,
  height: number,
  outcome: RpcOutcome | undefined,
): NodeError | undefined {
  try {
    const block = readBlock(label, resultOf(outcome));
    if (block?.hash === hash && block.number === height) return undefined;
    const instead = block === null ? 'has none' : `has ${block.hash}`;
    return new NodeError('unknown-block', `${label} ${instead} at height ${height}, not ${hash}`);
  } catch (error) {
    if (error instanceof NodeError) return error;
    throw error;
  }
}
