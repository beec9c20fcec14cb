/** Schemas of the answers' records; the compiler compares them with the domain's types. */
import { z } from 'zod';
import type { TokenPage, TokenRecord } from '../domain/page.ts';
import { TOKEN_TYPES } from '../domain/token.ts';

const network = {
  network_name: z.string().meta({ description: 'The network, as in the path' }),
  chain_id: z.int().meta({ description: 'The network’s chain id' }),
};

const entry = {
  token_address: z
    .string()
    .regex(/^0x[0-9a-fA-F]{40}$/)
    .meta({ description: 'The contract, EIP-55' }),
  block_height: z.int().meta({ description: 'The block of its first transfer event' }),
  token_type: z.enum(TOKEN_TYPES).meta({ description: 'Its standard' }),
  name: z.string().meta({ description: 'Empty if the contract has none' }),
  symbol: z.string().meta({ description: 'Empty if the contract has none' }),
};

const link = (which: string) =>
  z
    .string()
    .nullable()
    .meta({ description: `The URL of the ${which} page, with every filter; null if there is none` });

/** GET …/token */
export const tokenPage = z.object({
  ...network,
  page: z.int().meta({ description: 'This page, from 1' }),
  limit: z.int().meta({ description: 'Tokens on a page' }),
  total: z.int().meta({ description: 'Matching tokens on all pages together' }),
  next: link('next'),
  previous: link('previous'),
  tokens: z.array(z.object(entry)).meta({ description: 'The tokens, sorted by block and then by address' }),
}) satisfies z.ZodType<TokenPage>;

/** GET …/token/single */
export const tokenRecord = z.object({
  ...network,
  ...entry,
  decimals: z.int().nullable().meta({ description: 'null if the contract has none' }),
}) satisfies z.ZodType<TokenRecord>;

/** The public message when the store cannot be read. */
export const LIST_UNAVAILABLE = 'The token list cannot be read at the moment.';
