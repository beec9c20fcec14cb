/** The parameters of the token list. */
import { readAddress } from '@hindsight/chain/address.ts';
import { textParam } from '@hindsight/chain/text-param.ts';
import { badRequest } from '@hindsight/kernel/errors.ts';
import { PLANS, type PlanName } from '@hindsight/projects/project.ts';
import { z } from 'zod';
import { foldText, MAX_SEARCH } from '../domain/lists.ts';
import { TOKEN_TYPES } from '../domain/token.ts';

const DEFAULT_LIMIT = 10;
/** Keeps the product of page and limit an exact number. */
const MAX_PAGES = 1_000_000_000_000;
const LARGEST_LIMIT = Math.max(...Object.values(PLANS).map(({ maxPageSize }) => maxPageSize));
const WHOLE_ADDRESS = /^0x[0-9a-f]{40}$/i;

function wholeNumber(max: number, expected: string): z.ZodType<number> {
  return textParam((value, refuse) => {
    const number = /^\d{1,15}$/.test(value) ? Number(value) : NaN;
    if (number >= 1 && number <= max) return number;
    return refuse(`${value === '' ? 'it is empty; ' : ''}${expected}`);
  });
}

/** A search for one contract, or for the (folded) beginning of a name, of a symbol, or of a word in them. */
type Search = { readonly address: string } | { readonly prefix: string };

const search = textParam((value, refuse): Search => {
  const text = value.trim();
  if (WHOLE_ADDRESS.test(text)) {
    const read = readAddress(text);
    return 'address' in read ? read : refuse(read.fault);
  }
  const prefix = foldText(text);
  if (prefix === '')
    return refuse('it is empty; expected the beginning of a name, a symbol or a word in them, or an address');
  if ([...prefix].length > MAX_SEARCH)
    return refuse(`it is too long; expected at most ${MAX_SEARCH} characters, or an address`);
  return { prefix };
});

export const listQuery = z.strictObject({
  page: wholeNumber(MAX_PAGES, 'expected a page: a whole number from 1')
    .default(1)
    .meta({ description: 'The page, from 1', type: 'integer', minimum: 1, maximum: MAX_PAGES, default: 1 }),
  limit: wholeNumber(LARGEST_LIMIT, `expected a page size: a whole number from 1 to ${LARGEST_LIMIT}`)
    .default(DEFAULT_LIMIT)
    .meta({
      type: 'integer',
      minimum: 1,
      maximum: LARGEST_LIMIT,
      default: DEFAULT_LIMIT,
      description: 'Tokens on a page; at most 100 on the Free plan, 1000 on paid ones',
    }),
  token_type: z
    .enum(TOKEN_TYPES, `expected one of ${TOKEN_TYPES.join(', ')}`)
    .optional()
    .meta({ description: 'Only tokens of this standard' }),
  search: search.optional().meta({
    description:
      'The beginning of a name, of a symbol or of a word in them, in any case, or a complete address: `coin` finds USD Coin',
    minLength: 1,
  }),
});

export type ListQuery = z.infer<typeof listQuery>;

/**
 * Refuses a page that is larger than the caller's plan allows. @param plan from the gateway; none counts as
 * Free
 */
export function refuseLargePage(limit: number, plan: string | string[] | undefined): void {
  const { title, maxPageSize } = PLANS[isPlan(plan) ? plan : 'free'];
  if (limit > maxPageSize)
    throw badRequest(
      `limit: expected a page size: a whole number from 1 to ${maxPageSize} on the ${title} plan`,
      'page_too_large',
    );
}

function isPlan(name: unknown): name is PlanName {
  return typeof name === 'string' && Object.hasOwn(PLANS, name);
}
