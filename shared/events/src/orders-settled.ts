import { z } from 'zod';
import { address, decimal, hash } from './orders-received.ts';
import { defineTopic } from './topic.ts';

/** A month: after a longer absence a consumer asks for each order itself. */
const RETENTION_MS = 30 * 24 * 3_600_000;
/** Far more outputs than an order's bounded encoding has. */
const MAX_OUTPUTS = 256;

const height = z.number().int().min(0);

/** Common to all ends. */
const common = {
  chainId: z.number().int().positive(),
  network: z.string().min(1).max(64),
  orderHash: hash,
  /** The project of the order's key. */
  projectId: z.string().min(1).max(200),
  type: z.string().max(32),
  swapper: address,
  /** Unix seconds. */
  deadline: z.number().int().min(0),
  /** Always true: no reorganisation can take it back. */
  finalized: z.boolean(),
  /** Height of the finalized block at which it was decided. */
  knownAt: height,
};

const paid = z.object({ token: address, amount: decimal, recipient: address.optional() });

const filled = z.object({
  ...common,
  filler: address,
  transaction: hash,
  block: height,
  blockHash: hash,
  /** Null where the order's rule and the transfers disagree, or one of them could not be read. */
  amounts: z.object({ input: paid, outputs: z.array(paid).max(MAX_OUTPUTS) }).nullable(),
  /** Reason why `amounts` is null. */
  amountsReason: z.string().max(200).optional(),
});

const cancelled = z.object({
  ...common,
  cause: z.enum(['invalidated', 'sibling', 'nonce-used-elsewhere']),
  /** The block that spent the nonce. */
  block: height.optional(),
  transaction: hash.optional(),
  /** Hash of the other order, with the same nonce, that was filled. */
  sibling: hash.optional(),
});

const expired = z.object({
  ...common,
  /** A finalized block later than the deadline, by which the nonce was unspent. */
  block: height,
});

/** Ends of orders: decided by finalized blocks alone, each once. */
export const ordersSettled = defineTopic({
  name: 'orders.settled',
  keyMeaning: 'chainId:orderHash',
  keyOf: ({ chainId, orderHash }) => `${chainId}:${orderHash}`,
  events: { 'order-filled': filled, 'order-cancelled': cancelled, 'order-expired': expired },
  partitions: 6,
  retentionMs: RETENTION_MS,
  guarantee:
    'One end of every order that was published on orders.received and has ended by a finalized block, at least once; repetitions carry the same id, source and sequence. Not counted as usage. Sequences are shared with orders.received: they rise within a partition but for repetitions, with gaps.',
});
