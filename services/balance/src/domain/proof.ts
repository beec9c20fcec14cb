/** Proofs of an amount at a block, in the format of answers. */
import { ApiError } from '@hindsight/kernel/errors.ts';

/** Relation of the proven state to the amount. */
export type Claim = 'account-is-balance' | 'slot-is-balance';

/** The part of the proofs of many balances that they share. */
export interface SharedProof {
  readonly header_rlp: string;
  /** Of the token; none for ether, where each balance has its own. */
  readonly account_proof: readonly string[];
  readonly claim: Claim;
}

/** The part of a proof that belongs to one balance. */
export interface BalanceProof {
  /** The slot; undefined for ether. */
  readonly key?: string;
  /** The trie nodes to the slot; for ether, to the account. RLP as hex. */
  readonly nodes: readonly string[];
}

/** A checked proof of an account and its slots; nodes and header are RLP as hex. */
export interface CheckedProof {
  readonly header: string;
  readonly account: readonly string[];
  readonly storage: readonly {
    readonly key: string;
    readonly value: bigint;
    readonly proof: readonly string[];
  }[];
}

interface Slot {
  /** 0x and 40 lower-cased hex digits. */
  readonly contract: string;
  /** 0x and 64 lower-cased hex digits. */
  readonly key: string;
}

export function proofFields<C extends Claim | 'slot-is-shares'>(
  { header, account, storage }: CheckedProof,
  claim: C,
) {
  return {
    header_rlp: header,
    account_proof: [...account],
    storage: storage.map(({ key, value, proof }) => ({
      key,
      value: `0x${value.toString(16)}`,
      proof: [...proof],
    })),
    claim,
  };
}

/** Formats a proof of the shares from which a token computes a balance. */
export function sharesProofFields(proof: CheckedProof, shares: bigint) {
  return { ...proofFields(proof, 'slot-is-shares'), shares: shares.toString() };
}

export type ProofFields = ReturnType<typeof proofFields<Claim>>;
export type SharesProofFields = ReturnType<typeof sharesProofFields>;

/**
 * Finds the only slot on which an answer depends.
 * @param token 0x and 40 hex digits
 * @param read the slots that the call reads
 * @param control the slots that the control call reads as well, which hold nothing about this account
 * @throws {ApiError} 422 where there is no such slot, there are several, or it belongs to another contract
 */
export function onlySlot(token: string, read: readonly Slot[], control: readonly Slot[]): Slot {
  const others = new Set(control.map(nameOf));
  const own = read.filter((slot) => !others.has(nameOf(slot)));
  const [slot] = own;
  if (slot === undefined) throw notProvable('the contract reads no slot for this amount alone');
  if (own.length > 1) throw notProvable(`the amount depends on ${own.length} slots`);
  if (slot.contract !== token.toLowerCase())
    throw notProvable(`the amount is kept by another contract, ${slot.contract}`);
  return slot;
}

/** The error (422) of a slot that does not hold the answer. */
export function otherValue(key: string, held: bigint): ApiError {
  return notProvable(
    `the slot ${key} holds 0x${held.toString(16)}, from which the contract computes the amount: a share, or one of ` +
      'several values in it',
  );
}

/** The error (422) of a balance that the token computes from the holder's shares, which its slot holds. */
export function keepsShares(key: string, shares: bigint): ApiError {
  return notProvable(
    `the token keeps shares, from which it computes the balance: the slot ${key} holds ${shares} shares, which proof=shares proves`,
  );
}

/** The error (422) of a token that does not state how many shares a holder has. */
export function noShares(): ApiError {
  return notProvable('the token states no shares of this holder (sharesOf, scaledBalanceOf)');
}

/** The error (422) of a slot that does not hold the shares that the token states. */
export function otherShares(key: string, held: bigint, shares: bigint): ApiError {
  return notProvable(
    `the token states ${shares} shares, and the slot ${key} holds 0x${held.toString(16)}: several values in one slot, for instance`,
  );
}

function nameOf({ contract, key }: Slot): string {
  return `${contract}${key}`;
}

/** The error (422) for a token whose slots can only be found by a call for each holder. */
export function noKnownLayout(key: string): ApiError {
  return notProvable(
    `the slot of a balance, such as ${key}, is of no known layout, or depends on too much else: ask for each holder alone`,
  );
}

function notProvable(why: string): ApiError {
  return new ApiError('not_provable', `proof: ${why}`);
}
