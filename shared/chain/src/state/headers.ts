/** Reads several headers in one HTTP request. */
import { askAgain } from '../logs/ask-again.ts';
import { NotVouched } from '../logs/vouched-logs.ts';
import { headerCall, readBlockAt, type Block, type HeaderTag } from './block.ts';
import { readInRequests } from '../rpc/in-requests.ts';
import { resultOf, type EthereumNode } from '../rpc/node.ts';
import { NodeError } from '../rpc/node-error.ts';

const HEADERS_PER_REQUEST = 48;
const VOUCHED_WITHIN_MS = 500;

/**
 * The headers in the order of the tags; null where the node has none. A node that does not know `finalized` may say so
 * by an error, which is null too.
 * @throws {NodeError} also when the node answers another height than the one asked for
 */
export async function readHeaders(
  node: EthereumNode,
  tags: readonly HeaderTag[],
  signal?: AbortSignal,
): Promise<readonly (Block | null)[]> {
  const outcomes = await node.send(tags.map(headerCall), { signal });
  return tags.map((tag, index) => {
    const outcome = outcomes[index];
    if (tag === 'finalized' && outcome && 'error' in outcome) return null;
    return readBlockAt(node.label, tag, resultOf(outcome));
  });
}

interface WantedHeaders {
  readonly heights: readonly number[];
  /** A block that needs no request. */
  readonly find: (height: number) => Block | undefined;
  /** A node is believed only where it has this block: it is in each request. */
  readonly tip?: Block;
}

/**
 * The headers at many heights, several requests at once.
 * @throws {NodeError} `unknown-block` if a node lacks one of them; NotVouched if it lacks the tip
 */
export async function findHeaders(
  node: EthereumNode,
  { heights, find, tip }: WantedHeaders,
  signal?: AbortSignal,
): Promise<readonly Block[]> {
  const { label } = node;
  const found = new Map(heights.map((height) => [height, find(height)]));
  const missing = [...found.keys()].filter((height) => found.get(height) === undefined);
  const read = (asked: readonly number[]): Promise<readonly (Block | null)[]> =>
    tip ? readVouched(node, asked, tip, signal) : readHeaders(node, asked, signal);
  const headers = await readInRequests(missing, HEADERS_PER_REQUEST, read);
  missing.forEach((height, i) => found.set(height, headers[i] ?? undefined));
  return heights.map((height) => {
    const block = found.get(height);
    if (block) return block;
    throw new NodeError('unknown-block', `${label} has no block ${height}`);
  });
}

/** @throws {NotVouched} if none of the nodes that answer has the tip */
function readVouched(
  node: EthereumNode,
  heights: readonly number[],
  tip: Block,
  signal: AbortSignal | undefined,
): Promise<readonly (Block | null)[]> {
  return askAgain({ deadline: performance.now() + VOUCHED_WITHIN_MS, signal }, async () => {
    const read = await readHeaders(node, [...heights, tip.number], signal).catch(notVouched);
    if (read.at(-1)?.hash === tip.hash) return read.slice(0, heights.length);
    throw new NotVouched(`${node.label} does not have the block ${tip.number} that was asked about`);
  });
}

function notVouched(error: unknown): never {
  throw error instanceof NodeError && error.kind === 'unknown-block' ? new NotVouched(error.message) : error;
}
