/** For tests: a node that notes its requests. */
import type { EthereumNode, RpcCall } from '../../src/rpc/node.ts';

export interface RecordedNode extends EthereumNode {
  /** The calls of each request, since the list was last emptied. */
  readonly sent: (readonly RpcCall[])[];
}

/** Asks another node. */
export function recorded(node: EthereumNode): RecordedNode {
  const sent: (readonly RpcCall[])[] = [];
  return {
    ...node,
    sent,
    send: (calls, options) => {
      sent.push(calls);
      return node.send(calls, options);
    },
  };
}
