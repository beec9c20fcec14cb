import { Fault } from '@hindsight/kernel/errors.ts';
import { numberToQuantity, parseHash, quantityToNumber, readQuantity } from '../rpc/hex.ts';
import { resultOf, type EthereumNode, type RpcCall, type RpcOptions, type RpcOutcome } from '../rpc/node.ts';
import { NodeError, orMalformed } from '../rpc/node-error.ts';

/** A block as far as answers are pinned to it. */
export interface Block {
  readonly number: number;
  readonly hash: string;
  readonly parentHash: string;
  /** Unix time in seconds. */
  readonly timestamp: number;
}

/** The block of a question: the newest, or the one at a height. */
export type BlockQuery = 'latest' | number;

/** Names a header: by height, or by what it is on the chain (execution-apis, "Block tag"). */
export type HeaderTag = number | 'earliest' | 'latest' | 'finalized';

/** The parent's hash of a chain's first block. */
export const NO_PARENT = `0x${'0'.repeat(64)}`;

/** There is no block at that height yet. */
export class AboveHead extends Fault {
  readonly asked: number;
  readonly head: number;

  constructor(asked: number, head: number) {
    super(`block ${asked} is above the head ${head}`);
    this.asked = asked;
    this.head = head;
  }
}

/** The network is answered from a later block on. The message is fit for the caller. */
export class BeforeFirstBlock extends Fault {
  /** The way in which the block was named. */
  readonly by: 'height' | 'date' | 'hash';

  /** @param what the block or the moment; @param first the first block that is answered, with its date if known */
  constructor(by: BeforeFirstBlock['by'], what: string, network: string, first: string) {
    super(`${what} is before block ${first}, the first that ${network} is answered from`);
    this.by = by;
  }
}

export class NotCanonical extends Fault {
  /** @param instead the canonical block at the height of the block that has the hash, if there is one */
  constructor(hash: string, instead?: Block) {
    super(
      instead === undefined
        ? `no block of the canonical chain has the hash ${hash}`
        : `${hash} is not of the canonical chain, whose block ${instead.number} is ${instead.hash}`,
    );
  }
}

/** A block as a parameter (EIP-1898): whichever node answers, it is about that block, on its chain. */
export function pinOf({ hash }: Block): { readonly blockHash: string; readonly requireCanonical: true } {
  return { blockHash: hash, requireCanonical: true };
}

export function headerCall(tag: HeaderTag): RpcCall {
  const at = typeof tag === 'number' ? numberToQuantity(tag) : tag;
  return { method: 'eth_getBlockByNumber', params: [at, false] };
}

/** Asks a node for a header; null where the node has none. @throws {NodeError} also when it answers another height than the one asked for */
export async function askHeader(
  node: EthereumNode,
  tag: HeaderTag,
  options?: RpcOptions,
): Promise<Block | null> {
  const [outcome] = await node.send([headerCall(tag)], options);
  return readBlockAt(node.label, tag, resultOf(outcome));
}

export function readBlockAt(label: string, tag: HeaderTag, answer: unknown): Block | null {
  const block = readBlock(label, answer);
  if (typeof tag === 'number' && block !== null && block.number !== tag) throw otherBlock(label);
  return block;
}

/** The fault of a node that has answered about another block. */
export function otherBlock(label: string): NodeError {
  return new NodeError('malformed', `${label} answered another block than the one asked for`);
}

/** The height that a header names, whatever else it has; undefined where there is none. */
export function heightIn(outcome: RpcOutcome | undefined): number | undefined {
  if (outcome === undefined || 'error' in outcome) return undefined;
  return readQuantity((outcome.result as { readonly number?: unknown } | null)?.number);
}

/** The last second of the year 9999: later ones have no date by RFC 3339, and no block has them. */
const LAST_TIME = 253_402_300_799;

/**
 * Reads the answer to `eth_getBlockByNumber`; null if the node knows no such block. @throws {NodeError}
 * `malformed`
 */
export function readBlock(label: string, answer: unknown): Block | null {
  if (answer === null) return null;
  return orMalformed(`${label} returned a malformed block`, () => {
    const { number, hash, parentHash, timestamp } = answer as Record<string, unknown>;
    return {
      number: quantityToNumber(number),
      hash: parseHash(hash),
      parentHash: parseHash(parentHash),
      timestamp: parseTime(timestamp),
    };
  });
}

/** The call for the height of the newest block. */
export const HEAD: RpcCall = { method: 'eth_blockNumber', params: [] };

/** Reads the answer to `eth_blockNumber`. @throws {NodeError} `malformed` */
export function readHead(label: string, answer: unknown): number {
  return orMalformed(`${label} returned a malformed head`, () => quantityToNumber(answer));
}

function parseTime(value: unknown): number {
  const seconds = quantityToNumber(value);
  if (seconds > LAST_TIME) throw new TypeError('the time is beyond the year 9999');
  return seconds;
}
