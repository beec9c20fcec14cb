/** Schemas of fields that records share. */
import { address as addressText, hash, network } from '@hindsight/chain/record-fields.ts';
import type { TokenType } from '@hindsight/chain/tokens/token.ts';
import { ERROR_CODES } from '@hindsight/kernel/error-codes.ts';
import type { ErrorBody } from '@hindsight/kernel/errors.ts';
import { z } from 'zod';
import type { HolderAt } from '../domain/account.ts';
import { isoDate, namesFields } from '../domain/pinned.ts';
import type { SeriesPoint } from '../domain/series.ts';
import { UNREAD_REASONS, type UnreadReason } from '../domain/unread.ts';

export { hash, network };

export const address = (description: string) => addressText(`${description}, EIP-55`);

/** The address of an account that may have been given by name. */
export const resolved = (description: string, at = 'at that block') =>
  address(`${description}. If you passed an ENS name, the address it resolved to ${at}`);

export const time = z.iso
  .datetime({ precision: 3 })
  .meta({ description: 'The block’s time, in UTC with milliseconds' });

export const finalized = z
  .boolean()
  .meta({ description: 'True if the block can no longer be reorganised away' });

export const allFinalized = z
  .boolean()
  .meta({ description: 'True if none of the blocks can be reorganised away any more' });

/** The block of the names, where they are of another network. */
export const namesResolvedAt = {
  names_resolved_at: z
    .object({
      network_name: z.string().meta({ description: 'The network that has the names' }),
      block: z.int().meta({ description: 'Its last block at or before the time of the block that was read' }),
      block_hash: hash('That block’s hash'),
      date: time,
      finalized,
    })
    .optional()
    .meta({
      description:
        'Only if you passed an ENS name on a network other than Ethereum: where it was resolved, to its address for this ' +
        'network (ENSIP-11), or else to its default one (ENSIP-19)',
    }),
};

export const holder = resolved('The holder’s address');

/** The block at which a name was resolved, which may have been given for an account over a range. */
export const resolvedAtBlock = z
  .object({
    block: z.int().meta({ description: 'The block at which the name was resolved' }),
    block_hash: z.string().meta({ description: 'The block’s hash' }),
  })
  .optional()
  .meta({
    description:
      'Only if you passed an ENS name: it meant this address there, and no other one at seven heights before, from the first ' +
      'block on',
  });

/** The address of a holder over a range, and where a name was resolved. @param at the block, in words */
export const holderOverTime = (at: string) => ({
  holder: resolved('The holder’s address', at),
  holder_resolved_at: resolvedAtBlock,
  ...namesResolvedAt,
});

export function toHolder({ address, resolvedAt, namesAt }: HolderAt) {
  if (resolvedAt === null) return { holder: address };
  return { holder: address, holder_resolved_at: toResolvedAt(resolvedAt), ...namesFields(namesAt) };
}

export function toResolvedAt({ number: block, hash: block_hash }: NonNullable<HolderAt['resolvedAt']>) {
  return { block, block_hash };
}

export const amount = (description: string) =>
  z
    .string()
    .regex(/^[0-9]{1,78}$/)
    .meta({
      description: `${description}: a decimal whole number as a string, since it can exceed a JSON number`,
    });

/** A whole number that may be below zero, such as a part of a change. */
export const signedAmount = z.string().regex(/^-?[0-9]{1,78}$/);

const TEXT = 'The contract’s answer at that block, up to 1,024 bytes of UTF-8; empty if it has none';

/** The fields of a token, but for its standard. */
export const token = {
  token_address: address('The token contract'),
  token_name: z.string().meta({ description: TEXT }),
  token_symbol: z.string().meta({ description: TEXT }),
  token_decimals: z.int().nullable().meta({ description: 'null if the contract has none' }),
};

/** The standard of a token: one of these. */
export const standard = <const T extends TokenType>(...names: readonly T[]) =>
  z.literal(names).meta({ description: 'The token’s standard' });

/** A record of balances over time, of a token or of the native coin. */
export const ofAsset = <S extends z.ZodRawShape>(shape: S) =>
  z.union([
    z.object({ ...network, ...token, token_type: standard('erc20', 'erc721'), ...shape }),
    z.object({ ...network, ...shape }).meta({ description: 'Of `native`' }),
  ]);

/** The moment and the block of a point of a series. */
export const pointAt = {
  instant: z.iso
    .datetime({ precision: 3 })
    .nullable()
    .meta({ description: 'The moment that was meant; null where the series steps through heights' }),
  date: time,
  block: z.int().meta({ description: 'The block: the last one at or before the moment' }),
  block_hash: hash('The block’s hash'),
};

export function toPointAt({ block, instant }: Pick<SeriesPoint, 'block' | 'instant'>) {
  return {
    instant: instant === null ? null : isoDate(instant),
    date: isoDate(block.timestamp),
    block: block.number,
    block_hash: block.hash,
  };
}

/** The fields of the block that was read, and of that of the names which were given. */
export const pinned = {
  checked_at_block: z.int().meta({ description: 'The block whose state was read' }),
  checked_at_date: time,
  block_hash: hash('The block’s hash. It identifies the state that was read, even after a reorganisation.'),
  finalized,
  ...namesResolvedAt,
};

export const tokenId = amount('The id of the token');

/** The way in which what to ask was found, and its bounds. */
export const searched = {
  how: z.enum(['index', 'logs']).meta({
    description:
      'Events up to the block say which contracts are asked: those of the index of all tokens and of the blocks after its end, or those of a search',
  }),
  from_block: z.int().meta({ description: 'The first block whose events were searched' }),
  complete: z.boolean().meta({
    description:
      'True if nothing is left out, with the pages before. False if there is a next page, and if events of earlier blocks were ' +
      'not searched, because nodes lack them or time ran out: what these name is on no page',
  }),
};

export const next = z
  .string()
  .nullable()
  .meta({ description: 'The cursor of the next page; null on the last one' });

/** The reason why nothing is said about a contract. */
export const unreadReason = z.enum(Object.keys(UNREAD_REASONS) as [UnreadReason]).meta({
  description: Object.entries(UNREAD_REASONS)
    .map(([reason, meaning]) => `\`${reason}\`: ${meaning}`)
    .join('; '),
});

export const errorInPlace = z
  .object({
    message: z.string().meta({ description: 'What was wrong, in one sentence; fit to be shown' }),
    error: z.string().meta({ description: 'The name of the status' }),
    statusCode: z.int().meta({ description: 'The status that the question would get alone' }),
    code: z.enum(ERROR_CODES).meta({ description: 'Why, for programs: see /docs/errors' }),
  })
  .meta({ description: 'Why there is no answer' }) satisfies z.ZodType<ErrorBody>;

/** A row of POST …/balance/batch or POST …/call that has no answer. */
export const rowError = z.object({ error: errorInPlace });
