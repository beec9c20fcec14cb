/** Parts of what tools answer, as their output schemas have them. Fields may be added: they are not closed. */
import { z } from 'zod';

/** An amount in the smallest unit, and the same in whole tokens. */
export const amount = z.string();
export const formattedAmount = z.string().nullable();

/** The block of an answer, and the same question for good. */
export const source = z.looseObject({
  network: z.string(),
  block: z.int(),
  block_hash: z.string(),
  date: z.string(),
  finalized: z.boolean(),
  url: z.string(),
});

/** The call that continues a long answer. */
export const next = z
  .looseObject({ tool: z.string(), arguments: z.record(z.string(), z.unknown()) })
  .nullable()
  .describe('Call this for the rest; null at the end.');

/** The search for the candidates of a list. */
export const asked = z.looseObject({ from_block: z.int(), complete: z.boolean() });

/** A token over time, and its holder. */
export const overTime = {
  token: z.string(),
  token_symbol: z.string(),
  token_decimals: z.int().nullable(),
  holder: z.string(),
  holder_name: z.string().optional(),
};

export const change = z.looseObject({
  block: z.int(),
  cause: z.string().nullable(),
  balance_before_formatted: formattedAmount,
  balance_after_formatted: formattedAmount,
});

export const meaning = z.looseObject({
  holder: z.string().nullable(),
  from_block: z.int(),
  through_block: z.int(),
});

export const list = (fields: z.ZodRawShape) => z.array(z.looseObject(fields));
