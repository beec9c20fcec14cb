import type { NodeError } from './node-error.ts';
import type { ProgramRoom, ProgramRun } from './program.ts';

export interface RpcCall {
  readonly method: string;
  readonly params: readonly unknown[];
  /**
   * An `eth_call` that runs a program: the node's carrier makes its first parameter, and its result is the
   * program's answer.
   */
  readonly run?: ProgramRun;
  /** Height of the call's block, if the params name it by its hash: a pool prefers a node that has it. */
  readonly height?: number;
  /**
   * Answered by the same node as the call before it, also in an independent request, and judged with it: for
   * a result that does not show by itself whether the node has the state.
   */
  readonly withPrevious?: true;
}

/** The outcome of one call of a batch: a result, or the node's error for it. */
export type RpcOutcome = { readonly result: unknown } | { readonly error: NodeError };

export interface RpcOptions {
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds for the whole exchange; by default the node's. */
  readonly timeoutMs?: number;
  /** The most bytes of an answer; 16 MiB by default. */
  readonly maxBytes?: number | undefined;
  /**
   * Each call, with those that are tied to it, may be answered by a different node, or fail by itself: for
   * calls that name their block. By default one node answers all of them.
   */
  readonly independent?: boolean;
}

/** The same options, with what is left of the time. @param begun by `performance.now()` */
export function leftOf(options: RpcOptions, begun: number): RpcOptions {
  const { timeoutMs } = options;
  if (timeoutMs === undefined) return options;
  return { ...options, timeoutMs: Math.max(1, timeoutMs - (performance.now() - begun)) };
}

/** Answers JSON-RPC: one node, or several behind a failover. */
export interface EthereumNode {
  /** Names the node to operators, without its URL. */
  readonly label: string;
  /**
   * Sends the calls as one HTTP request, and returns their outcomes in the order of the calls.
   * @throws {NodeError} when there is no usable answer as a whole.
   */
  send(calls: readonly RpcCall[], options?: RpcOptions): Promise<readonly RpcOutcome[]>;
  close(): Promise<void>;
  /** The room of a program at blocks of that time (Unix seconds; by default now), as far as that is known. */
  room?(time?: number): ProgramRoom | undefined;
}

/** Sends one call and returns its result. @throws {NodeError} also for an error that the node answered. */
export async function sendOne(
  node: EthereumNode,
  method: string,
  params: readonly unknown[],
  options?: RpcOptions,
): Promise<unknown> {
  const [outcome] = await node.send([{ method, params }], options);
  return resultOf(outcome);
}

/** The result of an outcome. @throws {NodeError} when it is an error. */
export function resultOf(outcome: RpcOutcome | undefined): unknown {
  if (outcome === undefined) throw new TypeError('there is no such outcome');
  if ('error' in outcome) throw outcome.error;
  return outcome.result;
}
