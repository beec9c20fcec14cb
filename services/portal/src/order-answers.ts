/** The orders service's answers about a project's orders, as far as pages show them. */
import { z } from 'zod';

export const ORDER_STATUSES = ['open', 'filled', 'cancelled', 'expired'] as const;

const hash = z.string().regex(/^0x[0-9a-f]{64}$/);
const decimal = z.string().regex(/^\d{1,78}$/);
const address = z.string().regex(/^0x[0-9a-fA-F]{40}$/);

/** A token with amounts in its smallest unit, by the type of the order. */
const amount = z.object({
  /** The zero address is the network's own coin. */
  token: address,
  recipient: address.optional(),
  amount: decimal.optional(),
  startAmount: decimal.optional(),
  endAmount: decimal.optional(),
  maxAmount: decimal.optional(),
  minAmount: decimal.optional(),
});

/** A fill that is not final. */
const fill = z.object({ filler: address, transaction: hash, block: z.int() });

/** An order as it was decoded, and its state: the API's fields, those of the other statuses undefined. */
export const shownOrder = z.object({
  orderHash: hash,
  receivedAt: z.iso.datetime(),
  order: z.object({
    type: z.string(),
    reactor: address,
    swapper: address,
    nonce: decimal,
    /** Unix seconds. */
    deadline: z.int(),
    input: amount,
    outputs: z.array(amount),
    filler: address.nullable(),
    cosigner: address.nullable(),
  }),
  state: z.object({
    status: z.enum(ORDER_STATUSES),
    /** False while a reorganisation can take it back. */
    finalized: z.boolean().optional(),
    /** Of an open order: its fill in a block that is not final, and the last one that a reorganisation took back. */
    fill: fill.optional(),
    takenBack: fill.optional(),
    filler: address.optional(),
    transaction: hash.optional(),
    block: z.int().optional(),
    amounts: z
      .object({ input: amount, outputs: z.array(amount) })
      .nullable()
      .optional(),
    amountsReason: z.string().optional(),
    cause: z.enum(['invalidated', 'sibling', 'nonce-used-elsewhere']).optional(),
    /** The hash of the other order. */
    sibling: hash.optional(),
  }),
});

/** A page of a project's orders, newest first, and the cursor of the next page. */
export const orderPage = z.object({ orders: z.array(shownOrder), next: z.string().nullable() });

export type OrderAmount = z.output<typeof amount>;
export type ShownOrder = z.output<typeof shownOrder>;
export type OrderStatus = ShownOrder['state']['status'];
export type OrderPage = z.output<typeof orderPage>;
