/** The shape of the webhook's body: sizes and types. Its meaning is checked later. */
import { NETWORKS } from '@hindsight/chain/networks.ts';
import { z } from 'zod';

/** Hexadecimal characters of an encoded order; real ones have up to about 3,000, and decoding costs more than length. */
const MAX_ENCODED = 8_192;
/** Contract wallets take signatures of any length; none in use comes near this. */
const MAX_SIGNATURE = 4_096;
/** The day of Ethereum's first block. */
const EARLIEST_MS = Date.UTC(2015, 6, 30);
const LATEST_MS = Date.UTC(2100, 0, 1) - 1;
/** ISO 8601 dates go no further. */
const END_OF_TIME_MS = Date.UTC(10_000, 0, 1);
/** A number below this is read as seconds (the year 5138), otherwise as milliseconds (1973). */
const SECONDS_BELOW = 100_000_000_000;

const CREATED_EXPECTED = 'expected a time: ISO 8601 with a zone, or unix seconds or milliseconds';
const CREATED_WITHIN = 'expected a time from 2015-07-30 to 2099-12-31';

/** Control characters would break readers that print or store the text. */
const plainText = z.string().regex(/^[^\p{Cc}\p{Cs}]*$/u, 'expected text without control characters');

function hex(pattern: RegExp, expected: string) {
  return z
    .string(`expected ${expected}`)
    .regex(pattern, `expected ${expected}`)
    .transform((value) => value.toLowerCase());
}

function bytes(mostDigits: number) {
  const expected = 'expected 0x and an even number of hexadecimal digits';
  return z
    .string(expected)
    .max(2 + mostDigits, `expected at most ${mostDigits} hexadecimal digits`)
    .regex(/^0x(?:[0-9a-fA-F]{2})+$/, `${expected}, at least two`)
    .transform((value) => value.toLowerCase());
}

const address = hex(/^0x[0-9a-fA-F]{40}$/, 'an address: 0x and 40 hexadecimal digits');

const isoTime = z.iso.datetime({ offset: true });

function toMilliseconds(value: string | number): number {
  const number = typeof value === 'number' ? value : /^\d{1,16}$/.test(value) ? Number(value) : undefined;
  if (number !== undefined) return number < SECONDS_BELOW ? number * 1000 : number;
  return isoTime.safeParse(value).success ? Date.parse(value as string) : NaN;
}

const createdAt = z
  .union(
    [
      z.string().min(1, CREATED_EXPECTED).max(64, CREATED_EXPECTED),
      z.number().meta({ minimum: EARLIEST_MS / 1000, maximum: LATEST_MS }),
    ],
    CREATED_EXPECTED,
  )
  .transform((value, context) => {
    const milliseconds = toMilliseconds(value);
    if (milliseconds >= EARLIEST_MS && milliseconds <= LATEST_MS) return new Date(milliseconds).toISOString();
    const isTime = Number.isSafeInteger(milliseconds) && milliseconds > 0 && milliseconds < END_OF_TIME_MS;
    context.addIssue({ code: 'custom', message: isTime ? CREATED_WITHIN : CREATED_EXPECTED });
    return z.NEVER;
  });

/** A field that may be missing; null counts as missing. */
function optional<T extends z.ZodType>(schema: T) {
  return schema.nullish().transform((value) => value ?? undefined);
}

/** The body; unknown fields are ignored. */
export const orderBody = z.object({
  orderHash: hex(/^0x[0-9a-fA-F]{64}$/, 'a hash: 0x and 64 hexadecimal digits').meta({
    description: 'Hash identifier of the order',
  }),
  createdAt: createdAt.meta({ description: 'When the order was posted; from 2015-07-30 to 2099-12-31' }),
  signature: bytes(MAX_SIGNATURE).meta({ description: "The swapper's signature", minLength: 4 }),
  orderStatus: z.literal('open', 'expected "open"').meta({ description: 'Always "open"' }),
  encodedOrder: bytes(MAX_ENCODED).meta({ description: 'The ABI-encoded order', minLength: 4 }),
  chainId: z
    .number('expected a number')
    .int('expected a whole number')
    .positive('expected a positive number')
    .meta({
      description: 'The chain that the order is for: that of the path’s network',
      enum: [...NETWORKS.values()].map(({ chainId }) => chainId),
    }),
  filler: optional(address).meta({
    description: 'The exclusive filler: the address that may fill the order first',
  }),
  quoteId: optional(plainText.max(256, 'expected at most 256 characters')).meta({
    description: 'The request id of the quote',
  }),
  offerer: optional(address).meta({ description: 'The swapper' }),
  type: optional(plainText.max(32, 'expected at most 32 characters')).meta({
    description: 'Dutch, Limit, Dutch_V2, Dutch_V3 or Priority',
  }),
});
