/** The events that say what happened to an order's nonce; every reactor of any version emits the first. */
import { id } from 'ethers/hash';

/** First topics, and the names under which `readOrderLog` gives the events. */
export const ORDER_TOPICS = {
  /** UniswapX, src/base/ReactorEvents.sol. */
  fill: id('Fill(bytes32,address,address,uint256)'),
  /** The same of a relay order, by RelayOrderReactor. */
  relay: id('Relay(bytes32,address,address,uint256)'),
  /** Permit2, src/interfaces/ISignatureTransfer.sol. */
  invalidation: id('UnorderedNonceInvalidation(address,uint256,uint256)'),
} as const;

/** Position of an event. Hashes and addresses are lower case. */
interface Logged {
  /** Emitting contract: anyone may emit these events. */
  readonly address: string;
  readonly block: number;
  readonly blockHash: string;
  readonly transaction: string;
}

/** An order was filled, or a relay order. */
export interface FillLog extends Logged {
  readonly kind: 'fill';
  readonly orderHash: string;
  readonly filler: string;
  readonly swapper: string;
  readonly nonce: bigint;
}

/** An owner gave up the nonces of a word that a mask names. */
export interface InvalidationLog extends Logged {
  readonly kind: 'invalidation';
  readonly owner: string;
  readonly word: bigint;
  readonly mask: bigint;
}

export type OrderLog = FillLog | InvalidationLog;

/** A log as it was read, its hexadecimal lower case. */
interface RawOrderLog extends Logged {
  readonly topics: readonly string[];
  /** 0x and hexadecimal digits. */
  readonly data: string;
}

/** Characters of a word, with 0x. */
const WORD = 66;

/** Reads a log; undefined for one that has these topics by chance, and not the protocol's shape. */
export function readOrderLog({ topics, data, ...at }: RawOrderLog): OrderLog | undefined {
  const [event, first = '', second = '', third = ''] = topics;
  if (
    (event === ORDER_TOPICS.fill || event === ORDER_TOPICS.relay) &&
    topics.length === 4 &&
    data.length === WORD
  ) {
    const [filler, swapper] = [addressIn(second), addressIn(third)];
    return { ...at, kind: 'fill', orderHash: first, filler, swapper, nonce: BigInt(data) };
  }
  if (event !== ORDER_TOPICS.invalidation || topics.length !== 2 || data.length !== 2 * WORD - 2)
    return undefined;
  const [word, mask] = [BigInt(data.slice(0, WORD)), BigInt(`0x${data.slice(WORD)}`)];
  return { ...at, kind: 'invalidation', owner: addressIn(first), word, mask };
}

function addressIn(topic: string): string {
  return `0x${topic.slice(-40)}`;
}
