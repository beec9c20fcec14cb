/** The parameter that asks for a proof, and the field that has it. */
import { z } from 'zod';
import { amount, hash } from './fields.ts';

const STORAGE =
  'With `storage`, the answer has a `proof` of its amount, which anyone can check against the block’s hash';

/** A proof asked for with an answer. */
export const proofParam = z.literal('storage', 'expected storage, or no such parameter').optional().meta({
  description: STORAGE,
});

export const proofOrSharesParam = z
  .enum(['storage', 'shares'], 'expected storage or shares, or no such parameter')
  .optional()
  .meta({
    description:
      STORAGE +
      '. With `shares`, the answer of a token that computes balances from shares has a `proof` of the holder’s shares, not of ' +
      'the balance',
  });

const bytes = (description: string) =>
  z
    .string()
    .regex(/^0x(?:[0-9a-f]{2})*$/)
    .meta({ description });

export const trieNodes = (description: string) =>
  z.array(bytes('A node of the trie, in RLP')).meta({ description });

const storage = z.object({
  key: hash('The slot'),
  value: z
    .string()
    .regex(/^0x(?:0|[1-9a-f][0-9a-f]{0,63})$/)
    .meta({ description: 'What it holds, as a hexadecimal number' }),
  proof: trieNodes('The nodes from the root of the contract’s storage to the slot, or to where it would be'),
});

const header = bytes('The block’s header, in RLP: its keccak is `block_hash`, and it has the state’s root');
const claims = z.enum(['account-is-balance', 'slot-is-balance']);

/** The part of the proofs of a snapshot that all rows share. */
export const sharedProof = z
  .object({
    header_rlp: header,
    account_proof: trieNodes(
      'The nodes from the state’s root to the token; none for ether, where each row has those to its holder',
    ),
    claim: claims.meta({
      description:
        '`account-is-balance`: the account’s balance is the amount. `slot-is-balance`: the slot of the row is the amount. The ' +
        'mapping was found from the slots that the contract reads for an unused address, and each row is confirmed by its ' +
        'value',
    }),
  })
  .meta({ description: 'Only where `proof` was given: the part of the proofs that all rows share' });

/** The part of a proof that belongs to one row. */
export const balanceProof = z
  .object({
    key: hash('The slot of the token that is the amount; none for ether').optional(),
    nodes: z.array(z.int().nonnegative()).meta({
      description:
        'The nodes from the root of the token’s storage to the slot, or from the state’s root to the account: their numbers in the ' +
        'records of nodes before',
    }),
  })
  .meta({ description: 'Only where `proof` was given: the proof of the balance' });

const proofObject = z.object({
  header_rlp: header,
  account_proof: trieNodes(
    'The nodes from the state’s root to the account, or to where it would be: the holder for ether, else the contract',
  ),
  storage: z
    .array(storage)
    .meta({ description: 'The slot of the contract that is the amount; none for ether' }),
  claim: claims.meta({
    description:
      '`account-is-balance`: the account’s balance is the amount. `slot-is-balance`: the slot is the amount, be it a balance, an ' +
      'allowance or a supply, and the only one that the contract reads for this question and not for another account’s',
  }),
});

export const proof = {
  proof: proofObject
    .optional()
    .meta({ description: 'Only where `proof` was given: the proof of the amount (eth_getProof, EIP-1186)' }),
};

export const proofOrShares = {
  proof: proofObject
    .extend({
      claim: z.enum([...claims.options, 'slot-is-shares']).meta({
        description:
          '`slot-is-balance`: the slot is the balance, and the only one that the contract reads for this holder and not for ' +
          'another. `slot-is-shares`, only with `proof=shares`: the slot holds as many shares as the token itself states for ' +
          'this holder (`sharesOf` or `scaledBalanceOf`). The balance, which the token computes from them, is not proven',
      }),
      shares: amount('The shares that the slot holds, only with `slot-is-shares`').optional(),
    })
    .optional()
    .meta({ description: 'Only where `proof` was given: the proof (eth_getProof, EIP-1186)' }),
};

/** Errors that a question has where a proof is asked for. */
export const PROOF_CODES = ['not_provable', 'proof_unavailable'] as const;

/** The documentation of these, beside that of other questions. */
export const PROOF_ERRORS = {
  422: 'A name is kept off-chain, at a gateway that this server does not ask; or a proof was asked for, and no one slot is the amount',
  501: 'A proof was asked for, and no node can prove the state of the block: see `proofs_from` of GET /v1/networks',
} as const;
