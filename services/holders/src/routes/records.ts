/** The records of the answers, as they are documented; their types are those of the schemas. */
import { address, hash as blockHash, network } from '@hindsight/chain/record-fields.ts';
import { ERROR_CODES } from '@hindsight/kernel/error-codes.ts';
import { z } from 'zod';
import { MOVEMENT_EVENTS } from '../domain/transfer.ts';

const amount = (description: string) => z.string().regex(/^\d+$/).meta({ description });

/** The facts about a token at a block, as every answer names them. */
export const tokenFacts = z.object({
  ...network,
  token_address: address('The token contract, EIP-55'),
  token_name: z.string().meta({ description: 'As it was at that block; empty if the contract has none' }),
  token_symbol: z.string().meta({ description: 'As it was at that block; empty if the contract has none' }),
  token_type: z.enum(['erc20', 'erc721', 'erc1155']).meta({ description: 'The token’s standard' }),
  token_decimals: z.int().nullable().meta({ description: 'null if the contract has none' }),
  checked_at_block: z.int().meta({ description: 'The block that was read' }),
  checked_at_date: z.iso.datetime().meta({ description: 'Its time' }),
  block_hash: blockHash('Its hash'),
  finalized: z.boolean().meta({ description: 'True if it can no longer be reorganised away' }),
});
export type TokenFacts = z.output<typeof tokenFacts>;

/** The blocks that the index covers for a token. */
const indexedBlocks = z
  .object({
    from_block: z.int().meta({ description: 'The first block in the index' }),
    to_block: z
      .int()
      .meta({ description: 'The last one. Newer blocks were searched at the node for this answer.' }),
    complete: z.boolean().meta({
      description:
        'True if the token did not exist, or had no supply, before the index begins: then every address that has held any ' +
        'since is in it',
    }),
  })
  .meta({ description: 'What is indexed of this token' });
export type IndexedBlocks = z.output<typeof indexedBlocks>;
const facts = {
  ...tokenFacts.shape,
  token_id: amount('The id that was asked about; only where one was').optional(),
  index: indexedBlocks,
};
const sums = {
  errors: z.int().meta({ description: 'Addresses whose balance could not be read' }),
  read: z.int().meta({ description: 'Addresses that events name, so that their balance was read' }),
  total_supply: amount('What the contract reports at that block; null where it reports none').nullable(),
  units: z.int().meta({ description: 'What the request cost' }),
};

/** A line of GET …/token/holders */
export const holderRecord = z.union([
  z.object({
    record: z.literal('facts').meta({ description: 'The first line: what holds for all that follow' }),
    ...facts,
  }),
  z.object({
    record: z.literal('holder').meta({ description: 'A holder with a balance above zero' }),
    holder: address('The holder’s address'),
    balance: amount('The balance in the token’s smallest unit'),
  }),
  z.object({
    record: z.literal('error').meta({ description: 'An address whose balance could not be read' }),
    holder: address('The address'),
    error: z
      .object({
        message: z.string(),
        error: z.string(),
        statusCode: z.int(),
        code: z.enum(ERROR_CODES),
      })
      .meta({ description: 'Why; as the body of an error answer' }),
  }),
  z.object({
    record: z.literal('end').meta({ description: 'The last line. An answer without it is not complete.' }),
    holders: z.int().meta({ description: 'Holders above' }),
    sum: amount('The sum of the balances above'),
    next: address('Where the list goes on: the next request’s `after`; null at its end').nullable(),
    ...sums,
  }),
]);
export type HolderRecord = z.output<typeof holderRecord>;

/** GET …/token/holders?order=balance */
export const largestRecord = z.object({
  ...facts,
  holder_count: z.int().meta({ description: 'Addresses with a balance above zero' }),
  sum: amount('Of all their balances'),
  ...sums,
  holders: z
    .array(
      z.object({
        holder: address('The holder’s address'),
        balance: amount('The balance in the token’s smallest unit'),
        share_ppm: z.int().nullable().meta({
          description: 'Millionths of the total supply, rounded down; null where the contract reports none',
        }),
      }),
    )
    .meta({ description: 'The largest first; equal ones in the order of addresses' }),
});
export type LargestHolders = z.output<typeof largestRecord>;

const { token_name: _name, token_symbol: _symbol, ...plainFacts } = facts;

/** The facts about a file of POST …/token/holders/export. Tokens' names are not among them: they may have any letters. */
export const fileFacts = z.object({
  ...plainFacts,
  holders: z.int().meta({ description: 'Holders in the file' }),
  sum: amount('The sum of their balances'),
  next: address('Where the list goes on: the next request’s `after`; null at its end').nullable(),
  ...sums,
});
export type FileFacts = z.output<typeof fileFacts>;

/** GET …/token/holders/series */
export const holderSeriesRecord = z.object({
  ...facts,
  points: z
    .array(
      z.object({
        block: z.int().meta({ description: 'The block that was read' }),
        block_hash: blockHash('Its hash'),
        date: z.iso.datetime().meta({ description: 'Its time' }),
        holders: z
          .int()
          .nullable()
          .meta({ description: 'Addresses with a balance above zero; null where there was no such token' }),
        errors: sums.errors,
      }),
    )
    .meta({ description: 'The earliest first; the last one is of the block above' }),
  read: z.int().meta({ description: 'Balances that were read, over all points' }),
  units: sums.units,
});
export type HolderSeries = z.output<typeof holderSeriesRecord>;

const namesResolvedAt = z
  .object({
    network_name: z.string().meta({ description: 'The network that has the names' }),
    block: z.int().meta({ description: 'Its last block at or before the time of the last block' }),
    block_hash: blockHash('That block’s hash'),
    date: z.iso.datetime().meta({ description: 'That block’s time' }),
    finalized: z.boolean().meta({ description: 'True if that block can no longer be reorganised away' }),
  })
  .meta({
    description: 'Only if you passed an ENS name on a network other than Ethereum: where it was resolved',
  });

/** One movement, with its place in the chain. */
export const transferRow = z.object({
  block: z.int().meta({ description: 'Its block' }),
  block_hash: blockHash('The hash of the block'),
  date: z.iso.datetime().meta({ description: 'The time of the block' }),
  transaction: blockHash('The hash of its transaction'),
  log_index: z.int().meta({ description: 'The event’s place in the block' }),
  token_address: address('The token contract'),
  event: z.enum(MOVEMENT_EVENTS).meta({
    description:
      'The event; a deposit or a withdrawal is wrapped ether’s, a consecutive transfer moves a range of ids (ERC-2309), and CryptoPunks were assigned to their first owners',
  }),
  from: address('The sender; the zero address of what is minted or deposited'),
  to: address('The receiver; the zero address of what is burnt or withdrawn'),
  amount: amount(
    'The amount in the token’s smallest unit; null of an ERC-721, but for CryptoPunks, whose transfers name no id',
  ).nullable(),
  token_id: amount('The id; null of an ERC-20, and of CryptoPunks’ transfers').nullable(),
  last_token_id: amount(
    'The last id of the range that begins with `token_id`; null where the event names no range',
  ).nullable(),
});
export type TransferRow = z.output<typeof transferRow>;

/** GET …/transfers */
export const transferPage = z.object({
  ...network,
  token_address: address('The token that was asked about; null if any').nullable(),
  holder: address('The account that was asked about; null if any').nullable(),
  names_resolved_at: namesResolvedAt.optional(),
  from_block: z.int().meta({ description: 'The first block of the question' }),
  to_block: z.int().meta({ description: 'The last block of the question, on every page' }),
  block_hash: blockHash('The hash of the last block'),
  finalized: z.boolean().meta({ description: 'True if that block can no longer be reorganised away' }),
  order: z.enum(['newest', 'oldest']).meta({ description: 'Which come first' }),
  index: z
    .object({
      ...indexedBlocks.shape,
      complete: z.boolean().meta({
        description:
          'True if nothing can have been before the index begins: the token did not exist; or, of an account, the index has all ' +
          'tokens from the first block of the chain on',
      }),
      tokens: z.array(address('A token, in lower case')).nullable().meta({
        description: 'The tokens that are indexed, where not all are and the question names none; else null',
      }),
    })
    .meta({ description: 'The blocks that are indexed' }),
  units: z.int().meta({ description: 'What the request cost' }),
  next: z.string().nullable().meta({ description: 'The `cursor` of the next page; null on the last one' }),
  transfers: z.array(transferRow).meta({ description: 'In the order that was asked for' }),
});
export type TransferPage = z.output<typeof transferPage>;
