/** The records of the answers, as they are documented; the compiler holds them to what the domain makes. */
import { z } from 'zod';
import type { AllowanceRecord } from '../domain/allowance.ts';
import type { BalanceRecord } from '../domain/balance.ts';
import type { BlockRecord } from '../domain/block.ts';
import type { NativeRecord } from '../domain/native.ts';
import type { SnapshotRecord } from '../domain/snapshot.ts';
import type { ErrorBody } from '@hindsight/kernel/errors.ts';

const address = (description: string) =>
  z
    .string()
    .regex(/^0x[0-9a-fA-F]{40}$/)
    .meta({ description: `${description}, EIP-55` });

const amount = (description: string) =>
  z
    .string()
    .regex(/^[0-9]{1,78}$/)
    .meta({
      description: `${description}: a decimal whole number as a string, since it can exceed a JSON number`,
    });

const network = {
  network_name: z.string().meta({ description: 'The network, as in the path' }),
  chain_id: z.int().meta({ description: 'The network’s chain id' }),
};

const token = {
  token_address: address('The token contract'),
  token_name: z.string().meta({ description: 'The contract’s answer at that block; empty if it has none' }),
  token_symbol: z.string().meta({ description: 'The contract’s answer at that block; empty if it has none' }),
  token_decimals: z.int().nullable().meta({ description: 'null if the contract has none' }),
};

const hash = (description: string) =>
  z
    .string()
    .regex(/^0x[0-9a-f]{64}$/)
    .meta({ description });

const time = z.iso
  .datetime({ precision: 3 })
  .meta({ description: 'The block’s time, in UTC with milliseconds' });

const finalized = z.boolean().meta({ description: 'Whether the block can no longer be reorganised away' });

const pinned = {
  checked_at_block: z.int().meta({ description: 'The block whose state was read' }),
  checked_at_date: time,
  block_hash: hash('The block’s hash. It identifies the state that was read, even after a reorganisation.'),
  finalized,
};

/** GET …/balance/single */
export const balanceRecord = z.object({
  ...network,
  holder: address(
    'The holder’s address. If you passed an ENS name, the address it resolved to at that block',
  ),
  ...token,
  token_type: z.enum(['erc20', 'erc721']).meta({ description: 'The token’s standard' }),
  ...pinned,
  balance: amount('The balance in the token’s smallest unit, for ERC-721 the number of tokens'),
}) satisfies z.ZodType<BalanceRecord>;

/** GET …/balance/native */
export const nativeRecord = z.object({
  ...network,
  holder: address(
    'The holder’s address. If you passed an ENS name, the address it resolved to at that block',
  ),
  ...pinned,
  balance: amount('Wei'),
}) satisfies z.ZodType<NativeRecord>;

/** An error in the place of a record. */
const errorInPlace = z
  .object({
    message: z.string().meta({ description: 'What was wrong, in one sentence; fit to be shown' }),
    error: z.string().meta({ description: 'The name of the status' }),
    statusCode: z.int().meta({ description: 'The status that the question would get alone' }),
  })
  .meta({ description: 'Why there is no answer' }) satisfies z.ZodType<ErrorBody>;

/** A row of POST …/balance/batch that has no answer. */
export const rowError = z.object({ error: errorInPlace });

const line = z.int().meta({ description: 'The row’s line in the body, from 1' });

/** A line of POST …/balance/snapshot */
export const snapshotRecord = z.union([
  z.object({
    record: z.literal('facts').meta({ description: 'The first line: what holds for all that follow' }),
    ...network,
    tokens: z
      .array(
        z.object({
          token_address: z.string().meta({ description: 'The token contract, EIP-55; or `native`' }),
          token_name: token.token_name,
          token_symbol: token.token_symbol,
          token_decimals: token.token_decimals,
          token_type: z.enum(['erc20', 'erc721', 'native']).meta({ description: 'The token’s standard' }),
        }),
      )
      .meta({ description: 'In the order of the request' }),
    ...pinned,
  }),
  z.object({
    record: z.literal('balance').meta({ description: 'A holder' }),
    line,
    holder: address('The holder’s address, also where the row had a name'),
    balance: amount('The balance in the smallest unit; where one token was asked about').optional(),
    balances: z
      .record(z.string(), z.string().nullable())
      .optional()
      .meta({ description: 'Where several were: by token; null where `errors` says why' }),
    errors: z
      .record(z.string(), errorInPlace)
      .optional()
      .meta({ description: 'By token, where several were asked about and some have no answer' }),
  }),
  z.object({
    record: z.literal('error').meta({ description: 'A row without an answer' }),
    line,
    holder: z.string().meta({ description: 'As it was given' }),
    error: errorInPlace,
  }),
  z.object({
    record: z.literal('end').meta({ description: 'The last line. An answer without it is not complete.' }),
    holders: z.int().meta({ description: 'Rows of the body' }),
    errors: z.int().meta({ description: 'Rows with an error' }),
    sum: z
      .union([z.string(), z.record(z.string(), z.string())])
      .meta({ description: 'The sum of all balances; by token where several were asked about' }),
    units: z.int().meta({ description: 'What the request cost' }),
  }),
]) satisfies z.ZodType<SnapshotRecord>;

/** GET …/allowance/single */
export const allowanceRecord = z.object({
  ...network,
  owner: address('The owner’s address. If you passed an ENS name, the address it resolved to at that block'),
  spender: address(
    'The spender’s address. If you passed an ENS name, the address it resolved to at that block',
  ),
  ...token,
  token_type: z.literal('erc20').meta({ description: 'The token’s standard' }),
  ...pinned,
  allowance: amount('The allowance in the token’s smallest unit'),
}) satisfies z.ZodType<AllowanceRecord>;

/** GET …/block */
export const blockRecord = z.object({
  ...network,
  block_number: z.int().meta({ description: 'The block’s height' }),
  block_hash: hash('The block’s hash, which every endpoint takes in place of a height or a date'),
  parent_hash: hash('The hash of the block before it'),
  date: time,
  finalized,
}) satisfies z.ZodType<BlockRecord>;
