import type { components } from '@hindsight/client';
import { z } from 'zod';
import { list, next } from '../outputs.ts';
import { urlOf } from '../source.ts';
import { ask, defineTool } from '../tool.ts';

type Page = components['schemas']['TokenPage'];

/** Symbols and names to addresses. */
export const findToken = defineTool({
  name: 'find_token',
  title: 'Find a token',
  description:
    'Finds token contracts by symbol, name or address, oldest first. Anyone may name a contract USDC: where several match, ' +
    'prefer the oldest and best known, or ask the user. The list may not reach the newest blocks: a token that is not found may ' +
    'exist.',
  input: {
    search: z
      .string()
      .min(1)
      .max(100)
      .describe('What a symbol, a name or a word in it begins with, in any case, or a complete address.'),
    token_type: z
      .enum(['erc20', 'erc721', 'erc1155'])
      .optional()
      .describe('Only contracts of this standard.'),
    limit: z.int().min(1).max(100).default(20).describe('Tokens in an answer.'),
    page: z.int().min(1).default(1).describe('Only from `next.arguments` of the answer before.'),
  },
  output: {
    total: z.int(),
    tokens: list({ token_address: z.string(), symbol: z.string(), name: z.string() }),
    next,
  },
  async run(api, { search, token_type, limit, page }) {
    const answer = await ask<Page>(api, '/token', { search, token_type, limit, page });
    return {
      total: answer.total,
      tokens: answer.tokens.map(({ token_address, symbol, name, token_type: type, block_height }) => ({
        token_address,
        symbol,
        name,
        token_type: type,
        first_seen_block: block_height,
        source_url: urlOf(api, '/token/single', { token_address }),
      })),
      next:
        answer.next === null
          ? null
          : { tool: 'find_token', arguments: { search, token_type, limit, page: page + 1 } },
    };
  },
});
