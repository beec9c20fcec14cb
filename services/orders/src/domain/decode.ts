import { decodeCanonical, MalformedEncoding, type AbiValue } from '@hindsight/chain/abi/decode.ts';
import { DUTCH_V1 } from './encodings/dutch-v1.ts';
import { DUTCH_V2 } from './encodings/dutch-v2.ts';
import { DUTCH_V3 } from './encodings/dutch-v3.ts';
import type { Encoding, Reading } from './encodings/encoding.ts';
import { PRIORITY } from './encodings/priority.ts';
import type { EncodingName } from './reactors.ts';
import { RefusedOrder } from './refusal.ts';

const ENCODINGS: Readonly<Record<EncodingName, Encoding>> = {
  Dutch: DUTCH_V1,
  Dutch_V2: DUTCH_V2,
  Dutch_V3: DUTCH_V3,
  Priority: PRIORITY,
};

export interface Decoded extends Reading {
  readonly encoding: Encoding;
  /** EIP-712's hash of the order's struct, without a domain: the same on every chain. */
  readonly hash: string;
}

/** Hexadecimal digits of a word. */
const WORD_DIGITS = 64;

/**
 * The reactor of an encoded order, without decoding the rest: every encoding is one dynamic tuple whose first
 * member is a dynamic tuple whose first member is the reactor. `decodeOrder` checks the rest.
 * @param encoded lower-case hexadecimal with 0x
 * @throws {RefusedOrder} if the text is too short for one
 */
export function reactorOf(encoded: string): string {
  const wordAt = (byte: number): string => encoded.slice(2 + byte * 2, 2 + byte * 2 + WORD_DIGITS);
  const tuple = Number(`0x${wordAt(0)}`);
  const info = Number(`0x${wordAt(tuple)}`);
  const word = tuple === 32 && info < encoded.length ? wordAt(tuple + info) : '';
  if (word.length === WORD_DIGITS) return `0x${word.slice(-40)}`;
  throw new RefusedOrder(
    'encoding',
    'encodedOrder: it does not decode; expected the ABI encoding of a UniswapX order',
  );
}

/**
 * Decodes an order in the canonical encoding, which the protocol's encoder gives. Other bytes may decode to
 * the same order, and one order would have many encodings.
 * @param encoded lower-case hexadecimal with 0x, of bounded length
 * @throws {RefusedOrder}
 */
export function decodeOrder(name: EncodingName, encoded: string): Decoded {
  const encoding = ENCODINGS[name];
  const reading = encoding.read(valuesOf(name, encoding, encoded));
  return { ...reading, encoding, hash: encoding.hash(reading.witness) };
}

function valuesOf(name: EncodingName, { abi }: Encoding, encoded: string): readonly AbiValue[] {
  try {
    const [order] = decodeCanonical(abi, Buffer.from(encoded.slice(2), 'hex'));
    return order as readonly AbiValue[];
  } catch (error) {
    if (!(error instanceof MalformedEncoding)) throw error;
    throw new RefusedOrder(
      'encoding',
      `encodedOrder: it is not the canonical ABI encoding of a ${name} order; expected the bytes that the protocol's SDK serialises`,
    );
  }
}
