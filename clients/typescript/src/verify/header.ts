import { Refused } from './refused.ts';
import { readList, readNumber, type RlpItem } from './rlp.ts';

/**
 * Positions of fields in a header. No fork has moved them, as forks add fields at the end.
 * Source: the Yellow Paper, 4.4; https://eips.ethereum.org/EIPS/eip-1559
 */
const STATE_ROOT = 3;
const NUMBER = 8;
const TIMESTAMP = 11;
/** Number of fields since the first block; later forks have more. */
const FEWEST_FIELDS = 15;

/** The fields of a block's header that an answer is compared with. */
export interface Header {
  readonly stateRoot: Uint8Array;
  readonly number: bigint;
  /** Unix seconds. */
  readonly timestamp: bigint;
}

/** Reads an encoded header. @throws {Refused} */
export function readHeader(encoded: Uint8Array): Header {
  const fields = readList(encoded) ?? [];
  const stateRoot = fields[STATE_ROOT];
  const number = numberOf(fields[NUMBER]);
  const timestamp = numberOf(fields[TIMESTAMP]);
  const isRoot = stateRoot?.isList === false && stateRoot.body.length === 32;
  if (fields.length < FEWEST_FIELDS || !isRoot || number === undefined || timestamp === undefined)
    throw new Refused('header_malformed', 'header_rlp is not a block’s header');
  return { stateRoot: stateRoot.body, number, timestamp };
}

const numberOf = (field: RlpItem | undefined): bigint | undefined => field && readNumber(field);
