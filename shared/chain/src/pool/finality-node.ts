/**
 * A node whose `finalized` block obeys its network's rule of finality, for every reader. Readers see either a block that is
 * final by the rule, or none.
 */
import type { Logger } from '@hindsight/kernel/logger.ts';
import type { FinalityRule } from '../networks.ts';
import { readQuantity } from '../rpc/hex.ts';
import { leftOf, type EthereumNode, type RpcCall, type RpcOptions, type RpcOutcome } from '../rpc/node.ts';
import { HEAD, headerCall, heightIn } from '../state/block.ts';

export interface Finality {
  /** Blocks that it is behind the node's head. */
  readonly age: number;
  /** False if it is older than the network's rule allows: then no block counts as final by it. */
  readonly believed: boolean;
}

export interface FinalityNode extends EthereumNode {
  /** Undefined until the node has named such a block. */
  finality(): Finality | undefined;
}

const NONE: RpcOutcome = { result: null };

/** Puts a node under the rule of its network; without one, its `finalized` tag is believed at any age. */
export function ruleFinality<N extends EthereumNode>(
  node: N,
  rule: FinalityRule | undefined,
  logger?: Logger,
): N & FinalityNode {
  let last: Finality | undefined;
  const note = (finality: Finality): void => {
    if ((last?.believed ?? true) !== finality.believed) logReturn(node, finality, logger);
    last = finality;
  };
  return {
    ...node,
    finality: () => last,
    async send(calls, options = {}) {
      if (rule === undefined || !calls.some(isFinalized)) return node.send(calls, options);
      if ('depth' in rule) return sendByDepth(node, rule.depth, calls, options);
      const outcomes = await node.send([...calls, HEAD], options);
      const head = outcomes.at(-1);
      return calls.map((call, at) => {
        const outcome = outcomes[at]!;
        if (!isFinalized(call)) return outcome;
        const finality = finalityOf(outcome, head, rule.greatestAge);
        if (finality === undefined) return 'error' in outcome ? outcome : NONE;
        note(finality);
        return finality.believed ? outcome : NONE;
      });
    },
  };
}

function isFinalized({ method, params }: RpcCall): boolean {
  return method === 'eth_getBlockByNumber' && params[0] === 'finalized';
}

/** Undefined where the node named no such block, or no head to measure it by. */
function finalityOf(
  outcome: RpcOutcome,
  head: RpcOutcome | undefined,
  greatestAge: number,
): Finality | undefined {
  const [newest, height] = [headIn(head), heightIn(outcome)];
  if (newest === undefined || height === undefined) return undefined;
  const age = Math.max(0, newest - height);
  return { age, believed: age <= greatestAge };
}

/** Replaces the tag by the block that is so far below the head: two requests, for the head must be known first. */
async function sendByDepth(
  node: EthereumNode,
  depth: number,
  calls: readonly RpcCall[],
  options: RpcOptions,
): Promise<readonly RpcOutcome[]> {
  const begun = performance.now();
  const outcomes = await node.send(
    calls.map((call) => (isFinalized(call) ? HEAD : call)),
    options,
  );
  const head = outcomes[calls.findIndex(isFinalized)];
  const final = await blockBelow(node, head, depth, leftOf(options, begun));
  return outcomes.map((outcome, at) => (isFinalized(calls[at]!) ? final : outcome));
}

async function blockBelow(
  node: EthereumNode,
  head: RpcOutcome | undefined,
  depth: number,
  options: RpcOptions,
): Promise<RpcOutcome> {
  const height = (headIn(head) ?? -1) - depth;
  if (height < 0) return NONE;
  const [block] = await node.send([headerCall(height)], options);
  return block ?? NONE;
}

function headIn(outcome: RpcOutcome | undefined): number | undefined {
  return outcome && 'result' in outcome ? readQuantity(outcome.result) : undefined;
}

function logReturn({ label }: EthereumNode, { age, believed }: Finality, logger: Logger | undefined): void {
  const fields = { node: label, age };
  if (believed) logger?.info(fields, 'node’s finalized block is young enough again');
  else logger?.warn(fields, 'node’s finalized block is too old: no block counts as final by it');
}
