/** The records of answers: their schemas, and how they are made. */
import { address, network } from '@hindsight/chain/record-fields.ts';
import type { Network } from '@hindsight/chain/networks.ts';
import { z } from 'zod';
import { TOKEN_TYPES, type Token } from '../domain/token.ts';
import type { TokenRows } from '../ports.ts';

const entry = {
  token_address: address('The contract, EIP-55'),
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
});

/** GET …/token/single */
export const tokenRecord = z.object({
  ...network,
  ...entry,
  decimals: z.int().nullable().meta({ description: 'null if the contract has none' }),
});

interface FoundPage extends TokenRows {
  /** From 1. */
  readonly page: number;
  readonly limit: number;
  /** The absolute URL of another page of the same list. */
  readonly linkTo: (page: number) => string;
}

export function toTokenPage(network: Network, found: FoundPage): z.output<typeof tokenPage> {
  const { page, limit, total, tokens, linkTo } = found;
  return {
    ...networkFields(network),
    page,
    limit,
    total,
    next: page * limit < total ? linkTo(page + 1) : null,
    previous: page > 1 ? linkTo(page - 1) : null,
    tokens: tokens.map(toEntry),
  };
}

export function toTokenRecord(network: Network, token: Token): z.output<typeof tokenRecord> {
  return { ...networkFields(network), ...toEntry(token), decimals: token.decimals };
}

function networkFields({ name, chainId }: Network) {
  return { network_name: name, chain_id: chainId };
}

function toEntry({ address, blockHeight, type, name, symbol }: Token) {
  return { token_address: address, block_height: blockHeight, token_type: type, name, symbol };
}

/** The public message when the store cannot be read. */
export const LIST_UNAVAILABLE = 'The token list cannot be read at the moment.';
