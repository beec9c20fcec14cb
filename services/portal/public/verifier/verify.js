/* Written by npm run build:verifier, from clients/typescript/src/verify/verify.ts. */
import { parseHash, readAmount, readKey, readProof, readStatement, SHARES_CLAIM } from './answer.js';
import { areEqual, parseBytes, toHex } from './bytes.js';
import { readHeader } from './header.js';
import { keccak256 } from './keccak.js';
import { explainKey } from './layouts.js';
import { Refused } from './refused.js';
import { readList, readNumber, readString } from './rlp.js';
import { EMPTY_ROOT, readProven } from './trie.js';
const NO_CODE = '0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470';
const CLAIMS = {
  native: 'account-is-balance',
  balance: 'slot-is-balance',
  allowance: 'slot-is-balance',
  supply: 'slot-is-balance',
};
export function verify(answer, trusted) {
  try {
    return check(answer, trusted);
  } catch (error) {
    if (!(error instanceof Refused))
      return { verified: false, reason: 'invalid_answer', message: 'the answer cannot be read' };
    return { verified: false, reason: error.reason, message: error.message };
  }
}
function check(answer, trusted) {
  const blockHash = parseHash(trusted.blockHash);
  if (blockHash === undefined)
    throw new Refused('invalid_block_hash', 'blockHash: expected 0x and 64 hexadecimal digits');
  const known = readKnown(trusted);
  const statement = readStatement(answer);
  const proof = readProof(answer);
  const { kind, account, accounts } = statement;
  const { stateRoot, timestamp } = readBlock(proof, statement, blockHash);
  const claim = checkClaim(proof, kind, trusted.shares === true);
  const amount = claim === SHARES_CLAIM ? readAmount(proof.shares, 'proof.shares') : statement.amount;
  const state = readAccount(stateRoot, account, proof);
  const [slotProof] = proof.slots;
  const held = slotProof === undefined ? state.balance : readSlot(state, slotProof);
  if (held !== amount)
    throw new Refused('amount', `the answer states ${amount}, the state of the block has ${held}`);
  const proven = {
    verified: true,
    token: kind === 'native' ? null : account,
    accounts,
    block: { hash: blockHash, number: statement.blockNumber, timestamp: Number(timestamp) },
    slot: slotProof === undefined ? null : explain(slotProof.key, { accounts, amount }, known),
  };
  if (claim === SHARES_CLAIM) return { ...proven, claim, kind: 'balance', shares: amount };
  return { ...proven, claim, kind, amount };
}
function readKnown({ key, index }) {
  return { key: key === undefined ? undefined : readKey(key, 'key'), index: readIndex(index) };
}
function readIndex(index) {
  if (index === undefined) return undefined;
  if (typeof index === 'bigint' || (typeof index === 'number' && Number.isSafeInteger(index))) {
    const whole = BigInt(index);
    if (whole >= 0n && whole < 2n ** 256n) return whole;
  }
  throw new Refused('invalid_answer', 'index: expected a whole number of at most 256 bits');
}
function readBlock({ header: encoded }, { blockHash: stated, blockNumber, timeMs }, trusted) {
  if (stated !== trusted)
    throw new Refused('other_block', `the answer is about block ${stated}, not about ${trusted}`);
  if (toHex(keccak256(encoded)) !== trusted)
    throw new Refused('header_hash', `proof.header_rlp is not the header of block ${trusted}`);
  const header = readHeader(encoded);
  if (header.number !== BigInt(blockNumber))
    throw new Refused('block_number', `the answer states block ${blockNumber}, its header ${header.number}`);
  if (header.timestamp * 1000n !== BigInt(timeMs)) {
    throw new Refused(
      'block_time',
      `the answer states ${timeMs / 1_000} s as the block’s time, its header ${header.timestamp} s`,
    );
  }
  return header;
}
function checkClaim({ claim, slots }, kind, isOfShares) {
  if (claim === SHARES_CLAIM && !isOfShares) {
    throw new Refused(
      'shares',
      'the proof is of the holder’s shares, not of the balance, which the token computes from them: pass shares to verify those',
    );
  }
  const expected = isOfShares ? SHARES_CLAIM : CLAIMS[kind];
  if (isOfShares && kind !== 'balance')
    throw new Refused('claim', 'shares can be proven only for a balance of a token');
  if (claim !== expected) throw new Refused('claim', `proof.claim: expected ${expected} for this answer`);
  const most = kind === 'native' ? 0 : 1;
  if (slots.length !== most)
    throw new Refused('claim', `proof.storage has ${slots.length} slots: expected ${most} for ${expected}`);
  return expected;
}
function readAccount(stateRoot, address, { account: nodes }) {
  const name = 'proof.account_proof';
  const encoded = readProven(stateRoot, keccak256(bytesOf(address)), { name, nodes });
  if (encoded === null) return { balance: 0n, storageRoot: bytesOf(EMPTY_ROOT), codeHash: NO_CODE };
  const fields = readList(encoded) ?? [];
  const [nonce, wei, storageRoot, codeHash] = fields;
  const balance = wei && readNumber(wei);
  if (fields.length !== 4 || nonce === undefined || readNumber(nonce) === undefined || balance === undefined)
    throw new Refused('node_malformed', `${name} does not end with an account`);
  if (storageRoot?.isList !== false || codeHash?.isList !== false || storageRoot.body.length !== 32)
    throw new Refused('node_malformed', `${name} does not end with an account`);
  return { balance, storageRoot: storageRoot.body, codeHash: toHex(codeHash.body) };
}
function readSlot({ storageRoot, codeHash }, { key, value, nodes }) {
  if (codeHash === NO_CODE)
    throw new Refused('no_contract', 'token_address has no code at this block, so it had no amounts');
  const name = 'proof.storage[0].proof';
  const encoded = readProven(storageRoot, keccak256(key), { name, nodes });
  const held = encoded === null ? 0n : readSlotValue(encoded);
  if (held === undefined) throw new Refused('node_malformed', `${name} does not end with a value`);
  if (held !== value)
    throw new Refused('slot_value', `proof.storage[0].value is ${value}, the state of the block has ${held}`);
  return held;
}
function readSlotValue(encoded) {
  const body = readString(encoded);
  return body && readNumber({ isList: false, body, encoded });
}
function explain(key, { accounts, amount }, known) {
  if (known.key !== undefined) {
    if (!areEqual(key, known.key))
      throw new Refused('other_slot', 'proof.storage[0].key is not the key that was given');
    return { key: toHex(key), layout: 'given', index: null };
  }
  const place = explainKey(key, accounts.map(bytesOf), known.index);
  if (place === undefined && known.index !== undefined) {
    throw new Refused(
      'other_slot',
      `proof.storage[0].key is not of these accounts at the index ${known.index}`,
    );
  }
  if (place === undefined) {
    throw new Refused(
      'slot_unexplained',
      'proof.storage[0].key: no known layout keeps an amount of these accounts there; pass the key if you know it from the token’s source',
    );
  }
  if (amount === 0n && known.index === undefined) {
    throw new Refused(
      'slot_unknown',
      'an empty slot of any mapping reads as zero: pass the index of the token’s mapping, from its source or from an answer that is not zero',
    );
  }
  return { key: toHex(key), ...place };
}
function bytesOf(hex) {
  return parseBytes(hex) ?? new Uint8Array();
}
