/** Asks a node for state: as a multicall, or as plain calls before Byzantium; pinned to blocks by their hash. */
import type { Network } from '../networks.ts';
import { NodeError, orMalformed } from '../rpc/node-error.ts';
import { resultOf, type EthereumNode, type RpcCall, type RpcOutcome } from '../rpc/node.ts';
import { NO_PARENT, pinOf, type Block } from './block.ts';
import { decodeColumn, encodeColumn, type Column, type ColumnAnswer } from './multicall/column.ts';
import {
  decodeMulticall,
  itemRoom,
  multicall,
  multicallOf,
  multicallRun,
  type MulticallBytes,
  type MulticallItem,
  type MulticallResult,
} from './multicall/multicall.ts';
import type { Program, ProgramHead, ProgramRoom } from '../rpc/program.ts';
import { decodeDirectCalls, encodeDirectCalls } from './plain-calls.ts';

export interface PinnedCall {
  readonly block: Block;
  readonly items: readonly MulticallItem[];
  /**
   * True if items may starve, since their gas caps sum up to more than a node grants; else that is an error.
   */
  readonly mayStarve?: boolean;
}

export interface PinnedColumn {
  readonly block: Block;
  readonly column: Column;
}

export interface Failed {
  readonly error: unknown;
}

export type CallOutcome = { readonly results: readonly MulticallResult[] } | Failed;

/** Room of one multicall, and its gas. */
export interface StateRoom extends MulticallBytes {
  readonly gas: number;
}

/** Until a node has been probed: the least that every node gives. */
const LEAST_ROOM: ProgramRoom = { taken: 24_576, answered: 24_576, gas: 30_000_000 };

/**
 * A call ran in another block than its hash was given for: the node is wrong, or this process's record of the
 * block.
 */
class OtherBlock extends NodeError {}

/** True if an answer by a block's hash denies that block. */
export function isDenial(error: unknown): boolean {
  return error instanceof OtherBlock || (error instanceof NodeError && error.kind === 'unknown-block');
}

export class PinnedState {
  readonly #node: EthereumNode;
  readonly #network: Network;
  readonly #program: Program;

  constructor(node: EthereumNode, network: Network) {
    this.#node = node;
    this.#network = network;
    this.#program = multicallOf(network);
  }

  /** The room of one multicall at a block, at the first node, and its gas there. */
  room({ timestamp }: Block): StateRoom {
    const room = this.#node.room?.(timestamp) ?? LEAST_ROOM;
    return { ...itemRoom(room, this.#program), gas: room.gas };
  }

  /** True if the rules at that height are too old for a multicall. */
  isPlain(height: number): boolean {
    return height < this.#network.byzantiumBlock;
  }

  /** The `eth_call` of items at a block: a tag, a quantity, or EIP-1898's object. @param time of the block, if known */
  multicall(items: readonly MulticallItem[], block: unknown, time?: number): RpcCall {
    return multicall(items, block, { program: this.#program, time });
  }

  /**
   * Sends calls as one request; the outcomes are in the order of the calls.
   * @param signal abandons all of them
   */
  async ask(calls: readonly PinnedCall[], signal?: AbortSignal): Promise<readonly CallOutcome[]> {
    const parts = calls.map(({ block, items }) => this.#encode(block, items));
    // Pinned by hash: whichever node answers, it is about that block.
    const outcomes = await this.#node.send(parts.flat(), { signal, independent: true });
    let at = 0;
    return calls.map((call, i) => {
      const own = outcomes.slice(at, (at += parts[i]?.length ?? 0));
      return attempt(() => ({ results: this.#decode(call, own) }));
    });
  }

  /**
   * Sends columns as one request, each of them a call; none of them at a block of `isPlain`. The accounts of a column of more
   * than one may starve.
   */
  async askColumns(
    calls: readonly PinnedColumn[],
    signal?: AbortSignal,
  ): Promise<readonly (ColumnAnswer | Failed)[]> {
    const program = this.#program;
    const asked = calls.map(({ block, column }) => ({
      ...multicallRun(encodeColumn(column), pinOf(block), { program, time: block.timestamp }),
      height: block.number,
    }));
    const outcomes = await this.#node.send(asked, { signal, independent: true });
    return calls.map(({ block, column }, i) =>
      attempt(() => {
        const answer = this.#read(outcomes[i], (data) => decodeColumn(data, column));
        if (column.accounts.length === 1 && answer.values[0] === 'starved') throw this.#tooLittleGas();
        if (!isIn(block, answer)) throw this.#otherBlock();
        return answer;
      }),
    );
  }

  #encode(block: Block, items: readonly MulticallItem[]): readonly RpcCall[] {
    const pin = pinOf(block);
    const calls = this.isPlain(block.number)
      ? encodeDirectCalls(items, pin)
      : [this.multicall(items, pin, block.timestamp)];
    return calls.map((call) => ({ ...call, height: block.number }));
  }

  #decode(
    { block, items, mayStarve }: PinnedCall,
    outcomes: readonly RpcOutcome[],
  ): readonly MulticallResult[] {
    if (this.isPlain(block.number)) return this.readDirectCalls(block, items, outcomes);
    const results = this.readMulticall(block, items, outcomes[0], mayStarve);
    if (results) return results;
    throw this.#otherBlock();
  }

  /** A multicall's results; undefined if it ran in another block. @throws {NodeError} */
  readMulticall(
    block: Block,
    items: readonly MulticallItem[],
    outcome: RpcOutcome | undefined,
    mayStarve = false,
  ): readonly MulticallResult[] | undefined {
    const answer = this.#read(outcome, (data) => decodeMulticall(data, items));
    if (!mayStarve && answer.results.some((result) => result.status === 'starved'))
      throw this.#tooLittleGas();
    return isIn(block, answer) ? answer.results : undefined;
  }

  /** The results of plain calls. @throws {NodeError} also if a program among them ran in another block */
  readDirectCalls(
    block: Block,
    items: readonly MulticallItem[],
    outcomes: readonly RpcOutcome[],
  ): readonly MulticallResult[] {
    return decodeDirectCalls(items, outcomes, (head) => {
      if (!isIn(block, head)) throw this.#otherBlock();
    });
  }

  #otherBlock(): NodeError {
    const text = `${this.#node.label} answered for another block than the one asked for`;
    return new OtherBlock('malformed', text);
  }

  #tooLittleGas(): NodeError {
    return new NodeError('refused', `${this.#node.label} allows an eth_call too little gas`);
  }

  #read<Answer>(outcome: RpcOutcome | undefined, decode: (data: unknown) => Answer): Answer {
    const data = resultOf(outcome);
    return orMalformed(`${this.#node.label} did not run the multicall`, () => decode(data));
  }
}

function attempt<Answer>(work: () => Answer): Answer | Failed {
  try {
    return work();
  } catch (error) {
    return { error };
  }
}

/** True if a program ran in that block: same height, time and parent (a chain's first block has none). */
function isIn(block: Block, answer: ProgramHead): boolean {
  const sameParent = answer.parentHash === block.parentHash || block.parentHash === NO_PARENT;
  return answer.number === block.number && answer.timestamp === block.timestamp && sameParent;
}
