/**
 * Verifies an answer of a server that is not trusted, from the hash of a block that is. Needs no server and no network.
 *
 * Proven if the answer is `verified`: the block has this hash, height and time; at its end the account (or the slot of the
 * token's storage) held exactly this amount, or as many shares; the slot's key is a hash of exactly these accounts. Not proven:
 * that the token's code answers from the mapping with that index, which only its source shows (compare `slot.index` with it);
 * names, symbols, decimals and `finalized`; the account that an ENS name resolved to.
 */
import { parseHash, readAmount, readKey, readProof, readStatement, SHARES_CLAIM } from './answer.ts';
import type { Kind, SlotProof, Statement, StorageProof } from './answer.ts';
import { areEqual, parseBytes, toHex } from './bytes.ts';
import { readHeader } from './header.ts';
import { keccak256 } from './keccak.ts';
import { explainKey, type Slot } from './layouts.ts';
import { Refused, type RefusalReason } from './refused.ts';
import { readList, readNumber, readString } from './rlp.ts';
import { EMPTY_ROOT, readProven } from './trie.ts';

export type { Kind, RefusalReason, Slot };

/** The one thing that is trusted, and what else the caller knows. */
export interface Trusted {
  /** The block's hash, from a source of the caller's own: 0x and 64 hexadecimal digits. */
  readonly blockHash: string;
  /**
   * The key of the slot (0x and 64 hexadecimal digits), if the caller knows it from the token's source. The proof must then be
   * of that slot, and no layout is tried.
   */
  readonly key?: string | undefined;
  /**
   * The index of the token's mapping (for a supply, of its variable), if the caller knows it from the source or from an earlier
   * answer. No other is then accepted.
   */
  readonly index?: bigint | number | undefined;
  /**
   * The layout of the token's mapping (`slot.layout`), known in the same way. No other is then accepted. A zero needs it and the
   * index, or the key: a mapping that the token does not have reads as zero for every holder.
   */
  readonly layout?: Slot['layout'] | undefined;
}

/** The same, for an answer to `proof=shares`. */
export interface TrustedShares extends Trusted {
  /** Only a proof of shares is accepted. The balance of such an answer is not proven, as the token computes it from them. */
  readonly shares: true;
}

interface Proven {
  readonly verified: true;
  /** The token, in lower case; null for ether. */
  readonly token: string | null;
  /** The holder; for an allowance the owner and the spender; none for a supply. In lower case. */
  readonly accounts: readonly string[];
  readonly block: {
    readonly hash: string;
    readonly number: number;
    /** Unix seconds. */
    readonly timestamp: number;
  };
  /** The slot that has the amount; null for ether, which the account itself has. */
  readonly slot: Slot | null;
}

/** An answer whose amount the state of the trusted block confirms. */
export interface Verified extends Proven {
  readonly claim: 'account-is-balance' | 'slot-is-balance';
  /** The question that is answered: ether, a token's balance, an allowance, a supply. */
  readonly kind: Kind;
  /** In the smallest unit. */
  readonly amount: bigint;
}

/** An answer whose shares the state of the trusted block confirms, but not its balance. */
export interface VerifiedShares extends Proven {
  readonly claim: typeof SHARES_CLAIM;
  readonly kind: 'balance';
  readonly shares: bigint;
}

/** An answer that is not confirmed: `reason` is a stable code, `message` a sentence for people. */
export interface Unverified {
  readonly verified: false;
  readonly reason: RefusalReason;
  readonly message: string;
}

/** The code hash of an account without code. */
const NO_CODE = '0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470';
const CLAIMS: Readonly<Record<Kind, Verified['claim']>> = {
  native: 'account-is-balance',
  balance: 'slot-is-balance',
  allowance: 'slot-is-balance',
  supply: 'slot-is-balance',
};

/**
 * Verifies an answer with its proof (`proof=storage`), as JSON gives it or as the client returns it. Never throws, whatever it
 * is given, and takes a few milliseconds at most. The answer is not changed, and may come from anyone. A proof of shares
 * (`proof=shares`) is refused unless the caller passes `shares`, and any other proof if so.
 */
export function verify(answer: unknown, trusted: TrustedShares): VerifiedShares | Unverified;
export function verify(answer: unknown, trusted: Trusted): Verified | Unverified;
export function verify(
  answer: unknown,
  trusted: Trusted & Partial<TrustedShares>,
): Verified | VerifiedShares | Unverified {
  try {
    return check(answer, trusted);
  } catch (error) {
    // A getter or a proxy in the answer may throw anything.
    if (!(error instanceof Refused))
      return { verified: false, reason: 'invalid_answer', message: 'the answer cannot be read' };
    return { verified: false, reason: error.reason, message: error.message };
  }
}

function check(answer: unknown, trusted: Trusted & Partial<TrustedShares>): Verified | VerifiedShares {
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
  const proven: Proven = {
    verified: true,
    token: kind === 'native' ? null : account,
    accounts,
    block: { hash: blockHash, number: statement.blockNumber, timestamp: Number(timestamp) },
    slot: slotProof === undefined ? null : explain(slotProof.key, { accounts, amount }, known),
  };
  if (claim === SHARES_CLAIM) return { ...proven, claim, kind: 'balance', shares: amount };
  return { ...proven, claim, kind, amount };
}

/** The caller's own knowledge of the slot. */
interface Known {
  readonly key: Uint8Array | undefined;
  readonly index: bigint | undefined;
  readonly layout: Slot['layout'] | undefined;
}

function readKnown({ key, index, layout }: Trusted): Known {
  return { key: key === undefined ? undefined : readKey(key, 'key'), index: readIndex(index), layout };
}

function readIndex(index: unknown): bigint | undefined {
  if (index === undefined) return undefined;
  if (typeof index === 'bigint' || (typeof index === 'number' && Number.isSafeInteger(index))) {
    const whole = BigInt(index);
    if (whole >= 0n && whole < 2n ** 256n) return whole;
  }
  throw new Refused('invalid_answer', 'index: expected a whole number of at most 256 bits');
}

/** The header of the trusted block, if the answer is about it. */
function readBlock(
  { header: encoded }: StorageProof,
  { blockHash: stated, blockNumber, timeMs }: Statement,
  trusted: string,
): ReturnType<typeof readHeader> {
  if (stated !== trusted)
    throw new Refused('other_block', `the answer is about block ${stated}, not about ${trusted}`);
  if (toHex(keccak256(encoded)) !== trusted)
    throw new Refused('header_hash', `proof.header_rlp is not the header of block ${trusted}`);
  const header = readHeader(encoded);
  if (header.number !== BigInt(blockNumber))
    throw new Refused('block_number', `the answer states block ${blockNumber}, its header ${header.number}`);
  if (header.timestamp * 1_000n !== BigInt(timeMs)) {
    throw new Refused(
      'block_time',
      `the answer states ${timeMs / 1_000} s as the block’s time, its header ${header.timestamp} s`,
    );
  }
  return header;
}

/** The claim, if it is the one that this kind of answer has. */
function checkClaim(
  { claim, slots }: StorageProof,
  kind: Kind,
  isOfShares: boolean,
): Verified['claim'] | typeof SHARES_CLAIM {
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

/** An account in the state. */
interface AccountState {
  readonly balance: bigint;
  readonly storageRoot: Uint8Array;
  readonly codeHash: string;
}

/** Reads nonce, balance, storage root and code hash (Yellow Paper, 4.1); an absent account is an empty one. */
function readAccount(stateRoot: Uint8Array, address: string, { account: nodes }: StorageProof): AccountState {
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

/** The value of a slot; zero where the proof shows that it has none. */
function readSlot({ storageRoot, codeHash }: AccountState, { key, value, nodes }: SlotProof): bigint {
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

function readSlotValue(encoded: Uint8Array): bigint | undefined {
  const body = readString(encoded);
  return body && readNumber({ isList: false, body, encoded });
}

function explain(
  key: Uint8Array,
  { accounts, amount }: Pick<Statement, 'accounts' | 'amount'>,
  known: Known,
): Slot {
  if (known.key !== undefined) {
    if (!areEqual(key, known.key))
      throw new Refused('other_slot', 'proof.storage[0].key is not the key that was given');
    return { key: toHex(key), layout: 'given', index: null };
  }
  const place = explainKey(key, accounts.map(bytesOf), known.index);
  if (place === undefined && known.index === undefined) {
    throw new Refused(
      'slot_unexplained',
      'proof.storage[0].key: no known layout keeps an amount of these accounts there; pass the key if you know it from the token’s source',
    );
  }
  if (place === undefined || (known.layout !== undefined && place.layout !== known.layout)) {
    throw new Refused(
      'other_slot',
      'proof.storage[0].key is not of these accounts at the given index and layout',
    );
  }
  if (amount === 0n && !isKnown(place, known)) {
    throw new Refused(
      'slot_unknown',
      'an empty slot of any mapping reads as zero: pass index and layout of the token’s mapping, from its source or an answer that is not zero',
    );
  }
  return { key: toHex(key), ...place };
}

/** True if the caller has said that the token keeps its amounts there. The index alone says where a variable is. */
function isKnown({ layout, index }: Omit<Slot, 'key'>, known: Known): boolean {
  return (index === null || known.index !== undefined) && (layout === 'variable' || layout === known.layout);
}

/** The bytes of an address or a hash that has been parsed before. */
function bytesOf(hex: string): Uint8Array {
  return parseBytes(hex) ?? new Uint8Array();
}
