import { Refused } from './refused.ts';
import { readList, readNumber } from './rlp.ts';

/**
 * Fields of a header by their positions, which no fork has moved: it adds fields at the end.
 * Source: the Yellow Paper, 4.4; https://eips.ethereum.org/EIPS/eip-1559
 */
const STATE_ROOT = 3;
const NUMBER = 8;
const TIMESTAMP = 11;
/** Of the first blocks; later ones have more. */
const FEWEST_FIELDS = 15;

/** Of a block's header, the fields that an answer is compared with. */
export interface Header {
  readonly stateRoot: Uint8Array;
  readonly number: bigint;
  /** Unix seconds. */
  readonly timestamp: bigint;
}

/** Reads an encoded header. @throws {Refused} */
export function readHeader(encoded: Uint8Array): Header {
  const fields = readList(encoded) ?? [];
  const [stateRoot, number, timestamp] = [fields[STATE_ROOT], fields[NUMBER], fields[TIMESTAMP]];
  if (fields.length >= FEWEST_FIELDS && stateRoot && number && timestamp) {
    const header = { number: readNumber(number), timestamp: readNumber(timestamp) };
    if (!stateRoot.isList && stateRoot.body.length === 32 && header.number !== undefined) {
      if (header.timestamp !== undefined)
        return { stateRoot: stateRoot.body, number: header.number, timestamp: header.timestamp };
    }
  }
  throw new Refused('header_malformed', 'header_rlp is not a block’s header');
}
