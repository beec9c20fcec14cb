/* Written by npm run build:verifier, from clients/typescript/src/verify/header.ts. */
import { Refused } from './refused.js';
import { readList, readNumber } from './rlp.js';
const STATE_ROOT = 3;
const NUMBER = 8;
const TIMESTAMP = 11;
const FEWEST_FIELDS = 15;
export function readHeader(encoded) {
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
