/** Many holders at one block: the records of a snapshot's answer, each a line. */
import type { TokenFacts } from '@hindsight/chain/tokens/token.ts';
import { z } from 'zod';
import { NATIVE, type Asset } from '../domain/asset.ts';
import type { SharedProof } from '../domain/proof.ts';
import { networkFields, pinnedFields, type NetworkName, type ReadBlock } from '../domain/pinned.ts';
import { balanceStandard, coinFields, tokenFields } from '../domain/token.ts';
import { balanceProof, sharedProof, trieNodes } from '../views/proof-fields.ts';
import { address, amount, errorInPlace, namesResolvedAt, network, pinned, token } from '../views/fields.ts';

const line = z.int().meta({ description: 'The row’s line in the body, from 1' });

const asset = z.object({
  ...token,
  token_address: z.string().meta({ description: 'The token contract, EIP-55; or `native`' }),
  token_type: z.enum(['erc20', 'erc721', 'native']).meta({ description: 'The token’s standard' }),
});

type SnapshotAsset = z.output<typeof asset>;

const facts = z.object({
  record: z.literal('facts').meta({ description: 'The first line: what holds for all that follow' }),
  ...network,
  tokens: z.array(asset).meta({ description: 'In the order of the request' }),
  ...pinned,
  proof: sharedProof.optional(),
});

const nodes = z.object({
  record: z.literal('nodes').meta({
    description:
      'Only with `proof`: nodes of the tries that the following rows share. They are numbered from 0: the numbers ' +
      'run on over consecutive records of nodes, and begin again at 0 in the first one after a row',
  }),
  nodes: trieNodes('The nodes, in the order of their numbers'),
});

const balance = z.object({
  record: z.literal('balance').meta({ description: 'A holder' }),
  line,
  holder: address('The holder’s address, even where the row had a name'),
  balance: amount('The balance in the smallest unit; where one token was asked about').optional(),
  balances: z
    .record(z.string(), z.string().nullable())
    .optional()
    .meta({ description: 'Where several were: by token; null where `errors` says why' }),
  errors: z
    .record(z.string(), errorInPlace)
    .optional()
    .meta({ description: 'By token, where several were asked about and some have no answer' }),
  proof: balanceProof.optional(),
});

const error = z.object({
  record: z.literal('error').meta({ description: 'A row without an answer' }),
  line,
  holder: z.string().meta({ description: 'As it was given' }),
  error: errorInPlace,
});

const end = z.object({
  record: z.literal('end').meta({ description: 'The last line. An answer without it is not complete.' }),
  holders: z.int().meta({ description: 'Rows of the body' }),
  errors: z.int().meta({ description: 'Rows with an error' }),
  sum: z
    .union([z.string(), z.record(z.string(), z.string())])
    .meta({ description: 'The sum of all balances; by token where several were asked about' }),
  units: z.int().meta({ description: 'What the request cost' }),
  ...namesResolvedAt,
});

/** A line of POST …/balance/snapshot */
export const snapshotRecord = z.union([facts, nodes, balance, error, end]);

export type SnapshotFacts = z.output<typeof facts>;
export type SnapshotNodes = z.output<typeof nodes>;
export type SnapshotBalance = z.output<typeof balance>;
export type SnapshotError = z.output<typeof error>;
export type SnapshotEnd = z.output<typeof end>;

/**
 * The first record.
 * @param factsOf what a token is
 * @param proof the part of the proofs that all rows share, where they were asked for
 * @throws {ApiError} 404 where there is no such token at that block; 400 for an ERC-1155
 */
export function snapshotFacts(
  network: NetworkName,
  block: ReadBlock,
  assets: readonly Asset[],
  factsOf: (token: string) => TokenFacts,
  proof?: SharedProof,
): SnapshotFacts {
  const tokens = assets.map((asset): SnapshotAsset => {
    if (asset === NATIVE) return coinFields(network);
    const facts = factsOf(asset);
    return tokenFields(balanceStandard(facts, block.number), facts);
  });
  return {
    record: 'facts',
    ...networkFields(network),
    tokens,
    ...pinnedFields(block),
    ...(proof && { proof: { ...proof, account_proof: [...proof.account_proof] } }),
  };
}
