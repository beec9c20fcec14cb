/** The last blocks below a head, asked for by hash: a node that lacks such a block must answer an error (EIP-234). */
import type { EthereumNode, RpcOutcome } from '../rpc/node.ts';
import { NodeError } from '../rpc/node-error.ts';
import { headerCall, readBlock, type Block } from '../state/block.ts';
import { askAgain, type AskAgainOptions } from './ask-again.ts';
import type { LogFilter } from './log.ts';
import { logsCall, NotVouched } from './vouched-logs.ts';

/** Blocks by which nodes behind one URL may lag: one more than what a pool takes for no lag at all. */
export const LAST_BLOCKS = 4;

interface LastBlocksOptions extends AskAgainOptions {
  /** Milliseconds for one request. */
  readonly timeoutMs: number;
}

/**
 * The blocks from a height to a known one, ascending; each is known by its child's word for its hash.
 * @throws {NotVouched} where nodes lack one, or have another one
 */
export async function readAncestors(
  node: EthereumNode,
  from: number,
  end: Block,
  options: LastBlocksOptions,
): Promise<readonly Block[]> {
  const heights = Array.from({ length: end.number - from }, (_, i) => end.number - 1 - i);
  if (heights.length === 0) return [end];
  return askAgain(options, async () => {
    const outcomes = await node.send(heights.map(headerCall), { ...options, independent: true });
    const blocks = [end];
    for (const outcome of outcomes) {
      const block = readHeader(node, outcome);
      if (block?.hash !== blocks[0]!.parentHash)
        throw new NotVouched(`${node.label} does not have the parent of block ${blocks[0]!.number}`);
      blocks.unshift(block);
    }
    return blocks;
  });
}

/**
 * The logs of each block for each question, not parsed; the blocks end with the one that is meant.
 * @throws {NotVouched} where nodes lack a block, or the last one is not canonical
 */
export async function readLogsByHash(
  node: EthereumNode,
  questions: readonly LogFilter[],
  blocks: readonly Block[],
  options: LastBlocksOptions,
): Promise<readonly (readonly unknown[])[]> {
  const end = blocks.at(-1)!;
  const calls = blocks.flatMap(({ hash }) =>
    questions.map((question) => logsCall({ ...question, blockHash: hash })),
  );
  const answers = new Map<number, unknown>();
  await askAgain(options, async () => {
    const open = [...calls.keys()].filter((at) => !answers.has(at));
    const asked = [...open.map((at) => calls[at]!), headerCall(end.number)];
    const outcomes = await node.send(asked, options);
    let isVouched = readHeader(node, outcomes.at(-1))?.hash === end.hash;
    const empty: number[] = [];
    for (const [i, at] of open.entries()) {
      const logs = readLogs(outcomes[i]!);
      if (logs === undefined) continue;
      if (logs.length > 0) answers.set(at, logs);
      else empty.push(at);
    }
    // An empty list may also come from a node that does not know the hash: it may have dropped the block after it had answered
    // the header of the same request.
    if (isVouched && empty.length > 0) {
      const [later] = await node.send([headerCall(end.number)], options);
      isVouched = readHeader(node, later)?.hash === end.hash;
    }
    if (isVouched) for (const at of empty) answers.set(at, []);
    if (answers.size < calls.length || !isVouched)
      throw new NotVouched(`${node.label} does not have block ${end.number}, or has it no longer`);
  });
  return blocks.map((_, row) => questions.map((_question, at) => answers.get(row * questions.length + at)));
}

function readHeader({ label }: EthereumNode, outcome: RpcOutcome | undefined): Block | null {
  if (outcome && 'result' in outcome) return readBlock(label, outcome.result);
  if (outcome === undefined || outcome.error.kind === 'unknown-block') return null;
  throw outcome.error;
}

/** Undefined where the node does not know the block. */
function readLogs(outcome: RpcOutcome): readonly unknown[] | undefined {
  if ('result' in outcome) {
    if (Array.isArray(outcome.result)) return outcome.result as readonly unknown[];
    throw new NodeError('malformed', 'the node returned malformed logs');
  }
  if (outcome.error.kind === 'unknown-block') return undefined;
  throw outcome.error;
}
