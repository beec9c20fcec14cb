/** The stable codes of a refusal. */
export type RefusalReason =
  /** The block hash that was passed is not a hash. */
  | 'invalid_block_hash'
  /** A field is missing or malformed; the message names it. */
  | 'invalid_answer'
  /** The answer has no proof: the request had no `proof=storage`. */
  | 'no_proof'
  /** A proof is longer than any that a chain can give. */
  | 'too_large'
  /** The answer is about another block than the one that is trusted. */
  | 'other_block'
  /** The header does not have the trusted hash. */
  | 'header_hash'
  /** The header has the hash, but is not a block's header. */
  | 'header_malformed'
  /** The answer states another height, or another time, than the header. */
  | 'block_number'
  | 'block_time'
  /** A node of a proof is missing, has another hash than its parent names, or is not part of the path. */
  | 'node_missing'
  | 'node_hash'
  | 'node_extra'
  /** A node has the hash, but is not a node of a trie. */
  | 'node_malformed'
  /** The claim is unknown, or does not fit this kind of answer; with `shares`, it is not `slot-is-shares`. */
  | 'claim'
  /** The proof is of the holder's shares, not of the balance that the token computes from them, and `shares` was not passed. */
  | 'shares'
  /** The token has no code at this block, so that no slot of it is an amount. */
  | 'no_contract'
  /** The proof states another value for the slot than the state has. */
  | 'slot_value'
  /** The answer states another amount than the state has. */
  | 'amount'
  /** The slot is not the one that was passed as `key`, or as `index` and `layout`. */
  | 'other_slot'
  /** The slot is empty, as the slot of any missing entry is: it proves a zero only with `key`, or `index` and `layout`. */
  | 'slot_unknown'
  /** No known layout has an amount of these accounts in this slot. */
  | 'slot_unexplained'
  /** A row of a snapshot has an error in place of a balance. */
  | 'no_balance'
  /** A snapshot was cut, has no rows, or its last record states another number of rows. */
  | 'incomplete';

/** Ends a check; `verify` turns it into its answer. */
export class Refused extends Error {
  override readonly name = 'Refused';
  readonly reason: RefusalReason;

  constructor(reason: RefusalReason, message: string) {
    super(message);
    this.reason = reason;
  }
}
