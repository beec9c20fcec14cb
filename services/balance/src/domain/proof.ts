/** Proofs of an amount at a block, as answers have them. */
import { ApiError } from '@hindsight/kernel/errors.ts';

/** The way in which a proof says the amount of its answer. */
export type Claim = 'account-is-balance' | 'slot-is-balance';

/** A proof in the format of answers. */
export interface ProofFields {
  readonly header_rlp: string;
  readonly account_proof: string[];
  readonly storage: { readonly key: string; readonly value: string; readonly proof: string[] }[];
  readonly claim: Claim;
}

/** A checked proof of an account and its slots; nodes and header are RLP as hex. */
interface CheckedProof {
  readonly header: string;
  readonly account: readonly string[];
  readonly storage: readonly {
    readonly key: string;
    readonly value: bigint;
    readonly proof: readonly string[];
  }[];
}

/** A slot of a contract: 0x and 40 lower-cased hex digits, 0x and 64. */
interface Slot {
  readonly contract: string;
  readonly key: string;
}

/** Formats a proof for an answer. */
export function proofFields({ header, account, storage }: CheckedProof, claim: Claim): ProofFields {
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

/**
 * The one slot on which an answer depends.
 * @param token 0x and 40 hex digits
 * @param read those that the question reads
 * @param alike those that it reads where it is about another account, which say nothing of this one
 * @throws {ApiError} 422 where there is none, are several, or it is another contract's
 */
export function onlySlot(token: string, read: readonly Slot[], alike: readonly Slot[]): Slot {
  const others = new Set(alike.map(nameOf));
  const own = read.filter((slot) => !others.has(nameOf(slot)));
  const [slot] = own;
  if (slot === undefined) throw notProvable('the contract reads no slot for this amount alone');
  if (own.length > 1) throw notProvable(`the amount depends on ${own.length} slots`);
  if (slot.contract !== token.toLowerCase())
    throw notProvable(`the amount is kept by another contract, ${slot.contract}`);
  return slot;
}

/** @throws {ApiError} 422 where a slot does not hold the answer */
export function requireValue(slot: Slot, held: bigint, answer: bigint): void {
  if (held === answer) return;
  throw notProvable(
    `the slot ${slot.key} holds 0x${held.toString(16)}, from which the contract computes the amount: a share, or one of ` +
      'several values in it',
  );
}

function nameOf({ contract, key }: Slot): string {
  return `${contract}${key}`;
}

function notProvable(why: string): ApiError {
  return new ApiError('not_provable', `proof: ${why}`);
}
