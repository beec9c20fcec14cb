/** Records that are not a view's; the compiler holds them to what the domain makes. */
import { MAX_POINTS } from '@hindsight/api/series-grid.ts';
import { MAX_JSON_ROWS } from '@hindsight/api/units.ts';
import { z } from 'zod';
import type { CallRecord, CallValue } from '../domain/call/call.ts';
import type { NativeChangesRecord, TokenChangesRecord } from '../domain/changes.ts';
import type { NativeSeriesRecord, TokenSeriesRecord } from '../domain/series.ts';
import type { SnapshotRecord } from '../domain/snapshot.ts';
import {
  address,
  amount,
  errorInPlace,
  hash,
  network,
  pinned,
  resolved,
  rowError,
  standard,
  time,
  token,
} from './fields.ts';

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

/** The document has no recursive schemas: of a list within a list nothing further is said. */
const list = z.array(z.unknown()) as unknown as z.ZodType<readonly CallValue[]>;

const value = z.union([z.string(), z.boolean(), list]).meta({
  description:
    'Numbers are decimal strings, bytes and addresses (EIP-55) hexadecimal ones; arrays and tuples are lists of values',
});

/** POST …/call */
export const callRecord = z.object({
  ...network,
  target: resolved('The contract'),
  function: z.string().meta({ description: 'The signature in full, as it was understood' }),
  ...pinned,
  results: z
    .array(
      z.union([
        z.object({ values: z.array(value).meta({ description: 'What the function returned, decoded' }) }),
        z.object({
          reverted: z
            .object({
              reason: z.string().nullable().meta({
                description: 'The text of Error(string), or the meaning of Panic(uint256); else null',
              }),
              data: z
                .string()
                .regex(/^0x[0-9a-f]*$/)
                .meta({
                  description: 'What the contract returned, such as a custom error; its first 4,096 bytes',
                }),
            })
            .meta({ description: 'The call reverted' }),
        }),
        rowError,
      ]),
    )
    .max(MAX_JSON_ROWS)
    .meta({ description: 'One result for each row of `args`, in their order' }),
}) satisfies z.ZodType<CallRecord>;

const series = {
  holder: resolved('The holder’s address', 'at the last point’s block'),
  finalized: z.boolean().meta({ description: 'Whether none of the blocks can be reorganised away any more' }),
  points: z
    .array(
      z.object({
        instant: z.iso
          .datetime({ precision: 3 })
          .nullable()
          .meta({ description: 'The moment that was meant; null where the series steps through heights' }),
        date: time,
        block: z.int().meta({ description: 'The block: the last one at or before the moment' }),
        block_hash: hash('The block’s hash'),
        balance: amount('The balance in the smallest unit').nullable(),
        reason: z
          .enum(['no-contract', 'no-balance'])
          .optional()
          .meta({
            description:
              'Only where the balance is null: there was no contract at the token’s address, or it did not answer with a ' +
              'balance',
          }),
      }),
    )
    .max(MAX_POINTS)
    .meta({ description: 'From the first to the last' }),
};

/** GET …/balance/series */
export const seriesRecord = z.union([
  z.object({
    ...network,
    ...token,
    token_type: standard('erc20', 'erc721'),
    ...series,
  }) satisfies z.ZodType<TokenSeriesRecord>,
  z
    .object({ ...network, ...series })
    .meta({ description: 'Of `native`' }) satisfies z.ZodType<NativeSeriesRecord>,
]);

const changes = {
  holder: address(
    'The holder’s address. If you passed an ENS name, the address it resolved to at the last block',
  ),
  ...pinned,
  from_block: z.int().meta({ description: 'The changes of this answer are after this block' }),
  through_block: z.int().meta({ description: 'The changes of this answer are up to this block' }),
  changes: z
    .array(
      z.object({
        block: z.int().meta({ description: 'The block in which, or by which, the balance changed' }),
        block_hash: hash('The block’s hash'),
        date: time,
        after_block: z.int().meta({
          description:
            'The last block that is known to have the balance before; one less than `block` where that is exact',
        }),
        cause: z.enum(['transfer', 'state']).meta({
          description:
            'transfer: events of the block concern the holder; state: no event explains the change',
        }),
        transactions: z
          .array(hash('A transaction’s hash'))
          .meta({ description: 'The transactions of those events' }),
        balance_before: amount('The balance before').nullable(),
        balance_after: amount('The balance after').nullable(),
        unexplained: z
          .string()
          .regex(/^-?[0-9]{1,78}$/)
          .nullable()
          .meta({
            description:
              'The part of the change that the events do not explain, such as a fee; null if a balance is null. A deposit ' +
              'or withdrawal that the token also says as a transfer counts once',
          }),
      }),
    )
    .meta({ description: 'The changes, the oldest first' }),
  next: z.string().nullable().meta({ description: 'The cursor of the next page; null on the last one' }),
};

/** GET …/balance/changes */
export const changesRecord = z.union([
  z
    .object({
      ...network,
      ...token,
      token_type: z.enum(['erc20', 'erc721']).meta({ description: 'The token’s standard' }),
      ...changes,
    })
    .meta({ description: 'Of a token' }) satisfies z.ZodType<TokenChangesRecord>,
  z
    .object({
      ...network,
      ...changes,
      complete: z.boolean().meta({
        description:
          'Whether every change after `from_block` and up to `through_block` is listed, each at its block. False where one ' +
          'is only known to be after `after_block` and by `block`, and where some that cancelled each other out may have ' +
          'been missed: before EIP-7708, of an account that had code or had not sent a transaction yet',
      }),
    })
    .meta({ description: 'Of `native`' }) satisfies z.ZodType<NativeChangesRecord>,
]);
