import type { NodeError } from './node-error.ts';
import type { ProgramRoom, ProgramRun } from './program.ts';

/** One JSON-RPC call. */
export interface RpcCall {
  readonly method: string;
  readonly params: readonly unknown[];
  /**
   * An `eth_call` that runs a program of ours: its first parameter is made by the node's carrier, and its result is the
   * program's answer, in whichever way it came.
   */
  readonly run?: ProgramRun;
  /** The height of the block that it is about, where the params name that by its hash: a pool asks a node that has it. */
  readonly height?: number;
}

/** The outcome of one call of a batch: a result, or the node's error for it. */
export type RpcOutcome = { readonly result: unknown } | { readonly error: NodeError };

/** How a request is sent. */
export interface RpcOptions {
  /** Aborts the request. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds for the whole exchange; the node's default when not given. */
  readonly timeoutMs?: number;
  /**
   * Each call may be answered by a different node, or fail by itself: for calls that name their block. By default one
   * node answers all of them.
   */
  readonly independent?: boolean;
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
  /** The room that a program has at blocks of that time (Unix seconds; now where not given), as far as that is known. */
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
