import { z } from 'zod';
import { toEventData } from '../domain/order-event.ts';
import type { OrderState } from '../domain/order-state.ts';
import type { StoredOrder } from '../ports.ts';
import { orderEvent } from './order-event.ts';

const hash = (description: string) =>
  z
    .string()
    .regex(/^0x[0-9a-f]{64}$/)
    .meta({ description });
const address = (description: string) =>
  z
    .string()
    .regex(/^0x[0-9a-fA-F]{40}$/)
    .meta({ description });
const block = (description: string) => z.int().min(0).meta({ description });
const paid = {
  token: address('The token; the zero address is the chain’s coin'),
  amount: z.string().regex(/^\d+$/),
};

const ended = {
  finalized: z.literal(true).meta({ description: 'No reorganisation can take it back' }),
  knownAt: block('The finalized block at which it was decided'),
};
const fill = {
  filler: address('Who filled it'),
  transaction: hash('The transaction that filled it'),
  block: block('Its block'),
  blockHash: hash('The hash of its block'),
};

const orderState = z
  .discriminatedUnion('status', [
    z.object({
      status: z.literal('open'),
      fill: z
        .object({ finalized: z.literal(false), ...fill })
        .optional()
        .meta({ description: 'Its fill in a block that is not final: a reorganisation can take it back' }),
      takenBack: z
        .object(fill)
        .optional()
        .meta({ description: 'Its last fill that a reorganisation has taken back' }),
      reason: z.string().optional().meta({
        description:
          'Why its end is not known although its nonce is used: no node has the state from before it was used',
      }),
      knownAt: block('With `reason`: the finalized block at which the nonce was found to be used').optional(),
    }),
    z.object({
      status: z.literal('filled'),
      ...ended,
      ...fill,
      amounts: z
        .object({
          input: z.object(paid),
          outputs: z.array(z.object({ ...paid, recipient: address('Who got it').optional() })),
        })
        .nullable()
        .meta({
          description:
            'What was paid, in the smallest units; null where the order’s rule and the transfers disagree, or one cannot be read',
        }),
      amountsReason: z.string().optional().meta({ description: 'Why `amounts` is null' }),
    }),
    z.object({
      status: z.literal('cancelled'),
      ...ended,
      cause: z.enum(['invalidated', 'sibling', 'nonce-used-elsewhere']).meta({
        description:
          'What used its nonce: the swapper gave it up, another order of the swapper was filled, or another use of Permit2',
      }),
      block: block('The block in which the nonce was used').optional(),
      transaction: hash('The transaction that used it').optional(),
      sibling: hash('The other order').optional(),
    }),
    z.object({
      status: z.literal('expired'),
      ...ended,
      block: block('A finalized block after the deadline, with the nonce unused'),
    }),
  ])
  .meta({
    description: 'How the order stands; `open` until a finalized block shows its end',
  }) satisfies z.ZodType<OrderState>;

/** An order as it was received and decoded, and its state. */
export const orderRecord = orderEvent.extend({ state: orderState });

/** The order in an answer: its project stays between that project and the operator. */
export function toRecord({ record, state }: StoredOrder): z.input<typeof orderRecord> {
  const { projectId: _, ...order } = toEventData(record);
  return { ...order, state } as z.input<typeof orderRecord>;
}
