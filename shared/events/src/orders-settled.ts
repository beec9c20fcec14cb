import { z } from 'zod';
import { address, decimal, hash, identity } from './orders-received.ts';
import { defineTopic } from './topic.ts';

/** A month: after a longer absence a consumer asks for each order itself. */
const RETENTION_MS = 30 * 24 * 3_600_000;
/** Far more outputs than an order's bounded encoding has. */
const MAX_OUTPUTS = 256;

const height = (description: string) => z.int().min(0).meta({ description });

const order = {
  ...identity,
  type: z.string().max(32),
  swapper: address,
  /** Unix seconds. */
  deadline: z.number().int().min(0),
};

const common = {
  finalized: z.literal(true).meta({ description: 'No reorganisation can take it back' }),
  knownAt: height('The finalized block at which it was decided'),
};

const paid = z.object({
  token: address.meta({ description: 'The token; the zero address is the chain’s coin' }),
  amount: decimal,
});

/** A fill as its block shows it. */
export const seenFill = z.object({
  filler: address.meta({ description: 'Who filled it' }),
  transaction: hash.meta({ description: 'The transaction that filled it' }),
  block: height('Its block'),
  blockHash: hash.meta({ description: 'The hash of its block' }),
});

/** A reactor has settled it. */
export const filledEnd = z.object({
  ...common,
  ...seenFill.shape,
  amounts: z
    .object({
      input: paid,
      outputs: z
        .array(paid.extend({ recipient: address.optional().meta({ description: 'Who got it' }) }))
        .max(MAX_OUTPUTS),
    })
    .nullable()
    .meta({
      description:
        'What was paid, in the smallest units; null where the order’s rule and the transfers disagree, or one cannot be read',
    }),
  amountsReason: z.string().max(200).optional().meta({ description: 'Why `amounts` is null' }),
});

/** Its nonce was spent by something else. */
export const cancelledEnd = z.object({
  ...common,
  cause: z.enum(['invalidated', 'sibling', 'nonce-used-elsewhere']).meta({
    description:
      'What used its nonce: the swapper gave it up, another order of the swapper was filled, or another use of Permit2',
  }),
  block: height('The block in which the nonce was used').optional(),
  transaction: hash.optional().meta({ description: 'The transaction that used it' }),
  sibling: hash.optional().meta({ description: 'The other order' }),
});

/** Its deadline has passed with its nonce unspent. */
export const expiredEnd = z.object({
  ...common,
  block: height('A finalized block after the deadline, with the nonce unused'),
});

export type SeenFill = z.output<typeof seenFill>;
export type FilledEnd = z.output<typeof filledEnd>;
export type CancelledEnd = z.output<typeof cancelledEnd>;
export type ExpiredEnd = z.output<typeof expiredEnd>;

/** Ends of orders: decided by finalized blocks alone, each once. */
export const ordersSettled = defineTopic({
  name: 'orders.settled',
  keyMeaning: 'chainId:orderHash',
  keyOf: ({ chainId, orderHash }) => `${chainId}:${orderHash}`,
  events: {
    'order-filled': z.object({ ...order, ...filledEnd.shape }),
    'order-cancelled': z.object({ ...order, ...cancelledEnd.shape }),
    'order-expired': z.object({ ...order, ...expiredEnd.shape }),
  },
  partitions: 6,
  retentionMs: RETENTION_MS,
  guarantee:
    'One end of every order that was published on orders.received and has ended by a finalized block, at least once; repetitions carry the same id, source and sequence. Not counted as usage. Sequences are shared with orders.received: they rise within a partition but for repetitions, with gaps.',
});
