/** At the start of a process: does a node's EVM name its blocks as the network says, and run programs from the first one on? */
import type { Network } from '../networks.ts';
import { resultOf, type EthereumNode, type RpcOptions } from '../rpc/node.ts';
import { NodeError } from '../rpc/node-error.ts';
import { askHeader, pinOf, type Block } from '../state/block.ts';
import { decodeMulticall, multicall, multicallOf } from '../state/multicall/multicall.ts';

/**
 * Blocks that the two heights may lie apart. A node that lags or is reorganised between two answers is no node of another
 * kind, and no answer of it about another block is believed later; heights of L1 and L2 are millions apart.
 */
const MAX_DISTANCE = 10_000;

/**
 * Refuses a node of a chain of another kind.
 * @throws {Error} with the reason, for the operator; never because the node does not answer, or lacks a block's state
 */
export async function refuseOtherKind(
  node: EthereumNode,
  network: Network,
  options: RpcOptions,
): Promise<void> {
  const reason = await reasonAgainst(node, network, options).catch(() => undefined);
  if (reason !== undefined) throw new Error(reason);
}

async function reasonAgainst(
  node: EthereumNode,
  network: Network,
  options: RpcOptions,
): Promise<string | undefined> {
  const { firstBlock = 0, byzantiumBlock, name } = network;
  const head = await askHeader(node, 'latest', options);
  if (head === null || head.number < byzantiumBlock) return undefined;
  const found = await heightInside(node, network, head, options);
  if (typeof found === 'number' && Math.abs(found - head.number) > MAX_DISTANCE)
    return otherHeight(node, network, head, found);
  // Elsewhere it is the protocol's word that programs run from that block on.
  if (byzantiumBlock > 0) return undefined;
  const first = await askHeader(node, firstBlock, options);
  if (first === null || (await heightInside(node, network, first, options)) !== 'not run') return undefined;
  return `${node.label} runs programs at its head, but not at block ${firstBlock}: ${name} cannot be answered from there on. Name the first block that can be`;
}

function otherHeight({ label }: EthereumNode, network: Network, head: Block, found: number): string {
  if (network.heightFrom === 'arbsys')
    return `${label}: ArbSys does not name the block that its header does, ${head.number}: it is no node of ${network.name}`;
  return (
    `${label} answers from block ${found} in the EVM where its header says ${head.number}: it is of another kind than ` +
    `${network.name}, as Arbitrum and its relatives are`
  );
}

/** The height that a program sees in a block; undefined where that is not known, `not run` where the EVM cannot run it. */
async function heightInside(
  node: EthereumNode,
  network: Network,
  block: Block,
  options: RpcOptions,
): Promise<number | 'not run' | undefined> {
  const call = multicall([], pinOf(block), { time: block.timestamp, program: multicallOf(network) });
  const [outcome] = await node.send([{ ...call, height: block.number }], options);
  if (outcome && 'error' in outcome && isOfProgram(outcome.error)) return 'not run';
  return decodeMulticall(resultOf(outcome), []).number;
}

/** True if the node has the block's state, and its EVM ended the program otherwise than the program does. */
function isOfProgram({ kind, cause }: NodeError): boolean {
  return kind === 'malformed' || (cause instanceof NodeError && cause.kind === 'reverted');
}
