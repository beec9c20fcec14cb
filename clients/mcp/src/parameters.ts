/** Parameters of the tools, with descriptions for the model. */
import { parseWhen, whenParams, type WhenParams } from '@hindsight/client';
import { z } from 'zod';

const ADDRESS_DIGITS = '0x[0-9a-fA-F]{40}';
/** An address, and nothing else. */
export const ADDRESS = new RegExp(`^${ADDRESS_DIGITS}$`);

/** A token contract, or ether. */
export const token = z
  .string()
  .regex(
    new RegExp(`^(native|${ADDRESS_DIGITS})$`),
    'expected a contract address from find_token, or "native"',
  )
  .describe(
    'Contract address (0x…), or "native" for ether. A symbol is not accepted: look it up with find_token.',
  );

export const wallet = z
  .string()
  .min(3)
  .max(512)
  .describe(
    'Wallet: an address (0x…) or an ENS name such as vitalik.eth, resolved at the block asked about.',
  );

const A_MOMENT = 'expected a block number, a block hash, an ISO 8601 date, or "latest"';

/** The block of a question. */
export const at = z
  // Without a text of its own, the union says of a missing argument no more than that it is invalid.
  .union(
    [
      z
        .string()
        .max(100)
        .refine((text) => isWhen(text), A_MOMENT),
      z.int().nonnegative(),
    ],
    A_MOMENT,
  )
  .describe(
    'The moment: a block number, a block hash, or an ISO 8601 date in UTC ("2023-08-26T16:21:35Z": the last block at or ' +
      'before it); "latest" only for a question about now.',
  );

export const bound = z
  .union([z.string().min(1).max(40), z.int().nonnegative()], 'expected a block number or an ISO 8601 date')
  .describe('A block number, or an ISO 8601 date in UTC.');

/** The end of a range, which is never now unless that is asked for. */
export const end = bound.describe(
  'The end: a block number, or an ISO 8601 date in UTC; "latest" only for a question about now.',
);

/** The end as the API takes it: without one it is the latest block. */
export function toOf(to: string | number): string | number | undefined {
  return to === 'latest' ? undefined : to;
}

/** An end of a range as the moment of a question about one block. */
export function momentOf(end: string | number): Readonly<Record<string, string>> {
  return { [/^\d+$/.test(String(end)) ? 'block_height' : 'date']: String(end) };
}

/** A distance in time or blocks. */
export const step = z.string().regex(/^(1h|6h|1d|1w|1M|[1-9]\d{0,11})$/);

const network = z
  .string()
  .regex(/^[a-z][a-z0-9-]{0,39}$/, 'expected the name of a network, such as "base-mainnet"')
  .optional()
  .describe(
    'Only to ask about another network than Ethereum, such as "base-mainnet"; the tool networks lists them.',
  );

/** The network, for a tool that asks about one. */
export function networkOf({ name }: { readonly name: string }): { network?: typeof network } {
  return OF_NO_NETWORK.includes(name) ? {} : { network };
}

const OF_NO_NETWORK = ['usage', 'networks'];

/** Position at which a cut list continues, and its length. */
const ofBefore = z
  .int()
  .nonnegative()
  .optional()
  .describe('Only from `next.arguments` of the answer before.');
export const partStart = { offset: ofBefore, total: ofBefore };

/** The moment as the API takes it. */
export function whenOf(at: string | number | undefined): WhenParams {
  return whenParams(parseWhen(at?.toString()));
}

function isWhen(text: string): boolean {
  try {
    whenOf(text);
    return true;
  } catch {
    return false;
  }
}
