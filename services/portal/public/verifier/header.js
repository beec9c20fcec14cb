/* Written by npm run build:verifier, from clients/typescript/src/verify/header.ts. */
import { Refused } from './refused.js';
import { readList, readNumber } from './rlp.js';
const STATE_ROOT = 3;
const NUMBER = 8;
const TIMESTAMP = 11;
const FEWEST_FIELDS = 15;
export function readHeader(encoded) {
  const fields = readList(encoded) ?? [];
  const stateRoot = fields[STATE_ROOT];
  const number = numberOf(fields[NUMBER]);
  const timestamp = numberOf(fields[TIMESTAMP]);
  const isRoot = stateRoot?.isList === false && stateRoot.body.length === 32;
  if (fields.length < FEWEST_FIELDS || !isRoot || number === undefined || timestamp === undefined)
    throw new Refused('header_malformed', 'header_rlp is not a block’s header');
  return { stateRoot: stateRoot.body, number, timestamp };
}
const numberOf = (field) => field && readNumber(field);
