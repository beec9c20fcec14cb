/* Written by npm run build:verifier, from clients/typescript/src/verify/answer.ts. */
import { parseBytes } from './bytes.js';
import { Refused } from './refused.js';
const MAX_HEADER_BYTES = 64 * 1024;
const MAX_NODE_BYTES = 1_024;
const MAX_NODES = 65;
const MAX_SLOTS = 8;
const LIMIT = 2n ** 256n;
const AMOUNT = /^[0-9]{1,78}$/;
const QUANTITY = /^0x[0-9a-fA-F]{1,64}$/;
const ADDRESS = /^0x[0-9a-fA-F]{40}$/;
const HASH = /^0x[0-9a-fA-F]{64}$/;
export const SHARES_CLAIM = 'slot-is-shares';
export function parseHash(value) {
  return typeof value === 'string' && HASH.test(value) ? value.toLowerCase() : undefined;
}
export function readStatement(answer) {
  const fields = fieldsOf(answer, 'the answer');
  const { kind, amount, ...about } = readAbout(fields);
  const { checked_at_block: blockNumber, checked_at_date: date, block_hash } = fields;
  const blockHash = parseHash(block_hash);
  if (blockHash === undefined) throw invalid('block_hash', 'a hash: 0x and 64 hexadecimal digits');
  if (typeof blockNumber !== 'number' || !Number.isSafeInteger(blockNumber) || blockNumber < 0)
    throw invalid('checked_at_block', 'a height: a whole number');
  const timeMs = typeof date === 'string' && date.length <= 40 ? Date.parse(date) : NaN;
  if (Number.isNaN(timeMs)) throw invalid('checked_at_date', 'a time: 2023-08-26T16:21:35.000Z');
  return { kind, amount: readAmount(amount, AMOUNT_FIELDS[kind]), ...about, blockHash, blockNumber, timeMs };
}
function readAbout(fields) {
  const { balance, allowance, total_supply: supply, token_id: tokenId } = fields;
  const { token_address: token, holder, owner, spender } = fields;
  const amounts = [balance, allowance, supply].filter((each) => each !== undefined);
  if (amounts.length !== 1 || tokenId !== undefined) {
    throw new Refused(
      'invalid_answer',
      'expected the answer about one balance of ether or of a token, one allowance or one supply: with exactly one of balance, allowance and total_supply',
    );
  }
  const [amount] = amounts;
  if (balance !== undefined && token === undefined) {
    const account = readAddress(holder, 'holder');
    return { kind: 'native', amount, account, accounts: [account] };
  }
  const account = readAddress(token, 'token_address');
  if (supply !== undefined) return { kind: 'supply', amount, account, accounts: [] };
  if (balance !== undefined)
    return { kind: 'balance', amount, account, accounts: [readAddress(holder, 'holder')] };
  const accounts = [readAddress(owner, 'owner'), readAddress(spender, 'spender')];
  return { kind: 'allowance', amount, account, accounts };
}
export function readProof(answer) {
  const { proof } = fieldsOf(answer, 'the answer');
  if (proof === undefined || proof === null)
    throw new Refused('no_proof', 'the answer has no proof: ask for it with proof=storage');
  const { header_rlp: header, account_proof: account, storage, claim, shares } = fieldsOf(proof, 'proof');
  return {
    header: readBytes(header, 'proof.header_rlp', MAX_HEADER_BYTES),
    account: readNodes(account, 'proof.account_proof'),
    slots: readArray(storage, 'proof.storage', MAX_SLOTS).map((slot, at) => {
      const name = `proof.storage[${at}]`;
      const { key, value, proof: nodes } = fieldsOf(slot, name);
      if (typeof value !== 'string' || !QUANTITY.test(value))
        throw invalid(`${name}.value`, '0x and 1 to 64 hexadecimal digits');
      return {
        key: readKey(key, `${name}.key`),
        value: BigInt(value),
        nodes: readNodes(nodes, `${name}.proof`),
      };
    }),
    claim,
    shares,
  };
}
export function readKey(value, name) {
  const hash = parseHash(value);
  const key = hash === undefined ? undefined : parseBytes(hash);
  if (key === undefined) throw invalid(name, 'a key: 0x and 64 hexadecimal digits');
  return key;
}
function readNodes(value, name) {
  return readArray(value, name, MAX_NODES).map((node, at) =>
    readBytes(node, `${name}[${at}]`, MAX_NODE_BYTES),
  );
}
function readArray(value, name, most) {
  if (!Array.isArray(value)) throw invalid(name, 'an array');
  const { length } = value;
  if (length > most)
    throw new Refused('too_large', `${name} has ${length} entries: expected at most ${most}`);
  return Array.from({ length }, (_, at) => value[at]);
}
function readBytes(value, name, most) {
  if (typeof value !== 'string') throw invalid(name, 'bytes: 0x and hexadecimal digits');
  if (value.length > 2 + 2 * most)
    throw new Refused('too_large', `${name} is too long: expected at most ${most} bytes`);
  const bytes = parseBytes(value);
  if (bytes === undefined) throw invalid(name, 'bytes: 0x and an even number of hexadecimal digits');
  return bytes;
}
export function readAmount(value, name) {
  if (typeof value === 'string' && AMOUNT.test(value)) return BigInt(value);
  if (typeof value === 'bigint' && value >= 0n && value < LIMIT) return value;
  throw invalid(name, 'a whole number in decimal digits, as a string');
}
const AMOUNT_FIELDS = {
  native: 'balance',
  balance: 'balance',
  allowance: 'allowance',
  supply: 'total_supply',
};
function readAddress(value, name) {
  if (typeof value !== 'string' || !ADDRESS.test(value))
    throw invalid(name, 'an address: 0x and 40 hexadecimal digits');
  return value.toLowerCase();
}
function fieldsOf(value, name) {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalid(name, 'an object');
  return value;
}
function invalid(name, expected) {
  return new Refused('invalid_answer', `${name}: expected ${expected}`);
}
