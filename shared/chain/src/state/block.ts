import { parseHash, quantityToNumber } from '../rpc/hex.ts';
import { NodeError } from '../rpc/node-error.ts';

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

/** There is no block at that height yet. */
export class AboveHead extends Error {
  override readonly name = 'AboveHead';
  readonly asked: number;
  readonly head: number;

  constructor(asked: number, head: number) {
    super(`block ${asked} is above the head ${head}`);
    this.asked = asked;
    this.head = head;
  }
}

/** The network is answered from a later block on. The message is fit for the caller. */
export class BeforeFirstBlock extends Error {
  override readonly name = 'BeforeFirstBlock';
  /** The way in which the block was named. */
  readonly by: 'height' | 'date' | 'hash';

  /** @param what the block or the moment; @param first the first block that is answered, with its date if known */
  constructor(by: BeforeFirstBlock['by'], what: string, network: string, first: string) {
    super(`${what} is before block ${first}, the first that ${network} is answered from`);
    this.by = by;
  }
}

/** No block of the canonical chain has that hash. */
export class NotCanonical extends Error {
  override readonly name = 'NotCanonical';

  /** @param instead the canonical block at the height of the block that has the hash, if there is one */
  constructor(hash: string, instead?: Block) {
    super(
      instead === undefined
        ? `no block of the canonical chain has the hash ${hash}`
        : `${hash} is not of the canonical chain, whose block ${instead.number} is ${instead.hash}`,
    );
  }
}

/** The last second of the year 9999: later ones have no date by RFC 3339, and no block has them. */
const LAST_TIME = 253_402_300_799;

/**
 * Reads the answer to `eth_getBlockByNumber`; null if the node knows no such block. @throws {NodeError}
 * `malformed`
 */
export function readBlock(label: string, answer: unknown): Block | null {
  if (answer === null) return null;
  try {
    const { number, hash, parentHash, timestamp } = answer as Record<string, unknown>;
    return {
      number: quantityToNumber(number),
      hash: parseHash(hash),
      parentHash: parseHash(parentHash),
      timestamp: parseTime(timestamp),
    };
  } catch (cause) {
    throw new NodeError('malformed', `${label} returned a malformed block`, { cause });
  }
}

/** Reads the answer to `eth_blockNumber`. @throws {NodeError} `malformed` */
export function readHead(label: string, answer: unknown): number {
  try {
    return quantityToNumber(answer);
  } catch (cause) {
    throw new NodeError('malformed', `${label} returned a malformed head`, { cause });
  }
}

function parseTime(value: unknown): number {
  const seconds = quantityToNumber(value);
  if (seconds > LAST_TIME) throw new TypeError('the time is beyond the year 9999');
  return seconds;
}
