/** Judges a node's answer: complete, or a reason to try another node. */
import { readQuantity } from '../rpc/hex.ts';
import type { RpcCall, RpcOutcome } from '../rpc/node.ts';
import { NodeError } from '../rpc/node-error.ts';
import type { NodeErrorKind } from '../rpc/node-error-kind.ts';
import { heightIn } from '../state/block.ts';
import { READ_METHODS } from './read-methods.ts';

/**
 * Quality of an answer; anything but `answered` is returned only when no node has a better one. In order:
 * - `failed`: the node could not answer, just now
 * - `unknown`: the node does not know the block or the receipt
 * - `refused`: the node does not take such questions, or answers with nothing
 * - `pruned`: the node knows the block but has no state of it
 * - `lagging`: complete, but about a head that other nodes are beyond
 * - `answered`: complete; a contract's revert is an answer too
 */
export type Verdict = 'failed' | 'unknown' | 'refused' | 'pruned' | 'lagging' | 'answered';

const RANK: readonly Verdict[] = ['failed', 'unknown', 'refused', 'pruned', 'lagging', 'answered'];

const VERDICT_OF: Readonly<Record<NodeErrorKind, Verdict>> = {
  unreachable: 'failed',
  timeout: 'failed',
  busy: 'failed',
  malformed: 'failed',
  'unknown-block': 'unknown',
  refused: 'refused',
  'missing-state': 'pruned',
  reverted: 'answered',
};

export function isBetter(one: Verdict, other: Verdict): boolean {
  return RANK.indexOf(one) > RANK.indexOf(other);
}

/**
 * Judges a batch, by the worst of its outcomes.
 * @param oldestHead heads below it lag
 */
export function judge(
  calls: readonly RpcCall[],
  outcomes: readonly RpcOutcome[],
  oldestHead: number,
): Verdict {
  return calls.reduce<Verdict>((worst, call, at) => {
    const outcome = outcomes[at];
    const verdict = outcome ? judgeOne(call, outcome, oldestHead) : 'failed';
    return isBetter(worst, verdict) ? verdict : worst;
  }, 'answered');
}

function judgeOne(call: RpcCall, outcome: RpcOutcome, oldestHead: number): Verdict {
  // Many nodes know no finalized block, and report that in many ways.
  if (isOptional(call)) return 'answered';
  if ('error' in outcome) return VERDICT_OF[outcome.error.kind];
  if (asksForWhatExists(call) && outcome.result === null) return 'unknown';
  if (isEmptyState(call, outcome.result)) return 'refused';
  const head = readHead(call, outcome);
  return head !== undefined && head < oldestHead ? 'lagging' : 'answered';
}

/**
 * True if an answer is empty where there must be bytes. Some nodes answer so if they have no state (a Reth
 * below its prune floor answers `[]`, old erigons `0x`). A call without an addressee is one of this project's
 * programs, which always return something; a contract, or an address without one, may well return nothing.
 */
function isEmptyState(call: RpcCall, result: unknown): boolean {
  if (!READ_METHODS[call.method]?.isHex) return false;
  if (typeof result !== 'string' || result === '') return true;
  if (result !== '0x' || call.method === 'eth_getCode') return false;
  const isToContract = call.method === 'eth_call' && (call.params[0] as { to?: unknown }).to !== undefined;
  return !isToContract;
}

/** The head in a node's answers, if there is one. */
export function headIn(calls: readonly RpcCall[], outcomes: readonly RpcOutcome[]): number | undefined {
  for (const [at, call] of calls.entries()) {
    const outcome = outcomes[at];
    const head = outcome && readHead(call, outcome);
    if (head !== undefined) return head;
  }
  return undefined;
}

function readHead(call: RpcCall, outcome: RpcOutcome): number | undefined {
  if ('error' in outcome) return undefined;
  if (call.method === 'eth_blockNumber') return readQuantity(outcome.result);
  return call.method === 'eth_getBlockByNumber' && call.params[0] === 'latest'
    ? heightIn(outcome)
    : undefined;
}

/**
 * A node that reports "no such block" about a height that the chain has reached is behind: that null becomes
 * an error, so that it is not taken for "not yet".
 */
export function withoutFalseNulls(
  label: string,
  calls: readonly RpcCall[],
  outcomes: readonly RpcOutcome[],
  bestHead: number,
): readonly RpcOutcome[] {
  return outcomes.map((outcome, at) => {
    const height = missingHeight(calls[at], outcome);
    if (height === undefined || height > bestHead) return outcome;
    const text = `${label} does not know block ${height}, though the chain has reached ${bestHead}`;
    return { error: new NodeError('unknown-block', text) };
  });
}

/** True if a block is missing only because it is above every head that any node has reported. */
export function isAboveEveryHead(
  calls: readonly RpcCall[],
  outcomes: readonly RpcOutcome[],
  bestHead: number,
): boolean {
  return calls.some((call, at) => {
    const height = missingHeight(call, outcomes[at]);
    return height !== undefined && height > bestHead;
  });
}

/** The height at which a node says that there is no block. */
function missingHeight(call: RpcCall | undefined, outcome: RpcOutcome | undefined): number | undefined {
  const isNull = outcome && 'result' in outcome && outcome.result === null;
  // A hash is no height, even one of zeros.
  return isNull && call?.method === 'eth_getBlockByNumber' ? readQuantity(call.params[0]) : undefined;
}

/** True of a block and of a receipt, whose null says only that this node does not know it. */
function asksForWhatExists({ method }: RpcCall): boolean {
  return method.startsWith('eth_getBlockBy') || method === 'eth_getTransactionReceipt';
}

function isOptional(call: RpcCall): boolean {
  return call.params.includes('finalized') || call.params.includes('safe');
}
