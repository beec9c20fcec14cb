import { z } from 'zod';
import { defineTopic } from './topic.ts';

/** A month: after a longer absence a consumer asks the exchange itself. */
const RETENTION_MS = 30 * 24 * 3_600_000;

/** Lists that an order may have; its encoding, which is bounded, bounds them as well. */
const MAX_ENTRIES = 256;
/** Hexadecimal characters of an encoded order or of a signature. */
const MAX_HEX = 8_192;

export const address = z.string().regex(/^0x[0-9a-fA-F]{40}$/);
export const hash = z.string().regex(/^0x[0-9a-f]{64}$/);
const hex = z
  .string()
  .max(2 + MAX_HEX)
  .regex(/^0x(?:[0-9a-f]{2})*$/);
/** A 256-bit number, unsigned, as a decimal string. */
export const decimal = z.string().regex(/^\d{1,78}$/);
const signedDecimal = z.string().regex(/^-?\d{1,78}$/);

/** Fields that the order's type does not have are left out. */
const amount = z.object({
  token: address,
  /** Outputs only. */
  recipient: address.optional(),
  /** Dutch, Limit, Dutch_V2, Dutch_V3. */
  startAmount: decimal.optional(),
  /** Dutch, Limit, Dutch_V2. */
  endAmount: decimal.optional(),
  /** Dutch_V3's input. */
  maxAmount: decimal.optional(),
  /** Dutch_V3's outputs. */
  minAmount: decimal.optional(),
  /** Dutch_V3: a piecewise linear change by blocks since the decay began (UniswapX, `NonlinearDutchDecay`). */
  curve: z
    .object({
      relativeBlocks: z.array(z.number().int().min(0).max(0xffff)).max(MAX_ENTRIES),
      relativeAmounts: z.array(signedDecimal).max(MAX_ENTRIES),
    })
    .optional(),
  adjustmentPerGweiBaseFee: decimal.optional(),
  /** Priority. */
  amount: decimal.optional(),
  mpsPerPriorityFeeWei: decimal.optional(),
});

/** The body as it was sent, once its shape was right; hexadecimal in lower case. */
const payload = z.object({
  orderHash: hash,
  /** ISO 8601, UTC, with milliseconds. */
  createdAt: z.iso.datetime(),
  signature: hex,
  orderStatus: z.literal('open'),
  encodedOrder: hex,
  chainId: z.number().int().positive(),
  filler: address.optional(),
  quoteId: z.string().max(256).optional(),
  offerer: address.optional(),
  type: z.string().max(32).optional(),
});

/** The decoded `encodedOrder`; addresses in EIP-55. */
const order = z.object({
  type: z.string().max(32),
  reactor: address,
  swapper: address,
  nonce: decimal,
  /** Unix seconds. */
  deadline: z.number().int().min(0),
  additionalValidationContract: address,
  additionalValidationData: hex,
  input: amount,
  outputs: z.array(amount).max(MAX_ENTRIES),
  /** Who may fill it first; null where everyone may. */
  filler: address.nullable(),
  cosigner: address.nullable(),
  /** The rest of the order, by its type, under the protocol's own names. */
  auction: z.record(z.string().max(64), z.union([decimal, z.array(decimal).max(MAX_ENTRIES)])),
});

/** An order's identity, in all events about it. */
export const identity = {
  chainId: z.number().int().positive(),
  network: z.string().min(1).max(64),
  orderHash: hash,
  /** The project of the order's key. */
  projectId: z.string().min(1).max(200),
};

export const orderReceivedData = z.object({
  ...identity,
  /** ISO 8601, UTC, with milliseconds: also the month in which it counts. */
  receivedAt: z.iso.datetime(),
  payload,
  order,
});

export type OrderReceived = z.output<typeof orderReceivedData>;

/** Signed orders that passed every check. */
export const ordersReceived = defineTopic({
  name: 'orders.received',
  keyMeaning: 'chainId:orderHash',
  keyOf: ({ chainId, orderHash }) => `${chainId}:${orderHash}`,
  events: { 'order-received': orderReceivedData },
  partitions: 6,
  retentionMs: RETENTION_MS,
  guarantee:
    'Every order that was answered 201 and verified, at least once; repetitions carry the same id, chainId:orderHash, and the same source and sequence. Sequences rise within a partition but for repetitions.',
});
