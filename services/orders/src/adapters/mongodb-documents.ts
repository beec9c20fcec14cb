import type { IndexLease } from '@hindsight/indexing/lease.ts';
import type { CollectionIndexes } from '@hindsight/stores/mongodb-indexes.ts';
import type { OrderRecord } from '../domain/order-event.ts';
import type { OrderState } from '../domain/order-state.ts';
import { LIST_INDEXES, type ListIndex } from './list-indexes.ts';
import type { WatchPosition } from '../ports.ts';

/** An order with its state in the outbox: one document, so that one write stores both. */
export interface OrderDocument {
  readonly _id: string;
  readonly receivedAt: number;
  /** Unix seconds until which it is kept: its deadline, or a year after it was received. */
  readonly deadline: number;
  readonly sent: boolean;
  /** Set once its event is published; missing in documents of releases that did not store it. */
  readonly sequence?: number;
  /** Missing in documents of releases that did not store it: open. */
  readonly state?: OrderState;
  /** Set once it has ended: true when that is published. */
  readonly settledSent?: boolean;
  /** Time at which its end was decided, Unix milliseconds. */
  readonly settledAt?: number;
  /** Of the event that tells its end. */
  readonly settledSequence?: number;
  /** Unix seconds, as of blocks: when its nonce is looked at; missing in documents of releases that did not look. */
  readonly lookAt?: number;
  /** Height of a block by which its nonce was unspent. */
  readonly clearAt?: number;
  readonly record: OrderRecord;
}

/** The search for the ends of a network's orders: its position and its lease. */
export interface WatchDocument extends Partial<WatchPosition>, Partial<IndexLease> {
  /** The network's name. */
  readonly _id: string;
}

/** The leading relay and its batch: the only document of its collection. */
export interface OutboxDocument {
  readonly _id: typeof OUTBOX_ID;
  readonly source: string;
  readonly relay: string | null;
  readonly leadsUntil: number;
  readonly batchNumber: number;
  readonly batchIds: readonly string[] | null;
  readonly firstSequence: number;
  readonly nextSequence: number;
}

/** An order that its swapper's contract has not confirmed yet. */
export interface PendingDocument {
  /** The claim. */
  readonly _id: string;
  readonly dueAt: number;
  readonly attempts: number;
  readonly digest: string;
  readonly record: OrderRecord;
}

/** The names of the collections; `orders_unproven` is the released name of the pending orders. */
export const ORDERS = 'orders';
export const OUTBOX = 'orders_outbox';
export const PENDING = 'orders_unproven';
export const WATCH = 'orders_watch';

export const OUTBOX_ID = 'outbox';

/** The fields of the filters. */
export const LISTED = {
  network: 'record.network',
  projectId: 'record.projectId',
  swapper: 'record.order.swapper',
  filler: 'state.filler',
  status: 'state.status',
  type: 'record.order.type',
} as const;

function listKey(filters: ListIndex['filters']): Record<string, 1 | -1> {
  const fields = (['network', ...filters, 'status', 'type'] as const).map((filter) => LISTED[filter]);
  return { ...Object.fromEntries(fields.map((field) => [field, 1 as const])), receivedAt: -1, _id: -1 };
}

export const ORDER_INDEXES: readonly CollectionIndexes[] = [
  {
    collection: ORDERS,
    indexes: [
      { name: 'outbox', key: { sent: 1, receivedAt: 1, _id: 1 } },
      { name: 'published', key: { sequence: 1 } },
      ...LIST_INDEXES.map(({ name, filters }) => ({ name, key: listKey(filters) })),
      { name: 'ends', key: { settledSent: 1, settledAt: 1, _id: 1 } },
      { name: 'published-ends', key: { settledSequence: 1 } },
      { name: 'due', key: { 'record.network': 1, lookAt: 1 } },
      { name: 'seen', key: { 'state.fill.block': 1 }, sparse: true },
      { name: 'of-swapper', key: { 'record.network': 1, 'record.order.swapper': 1, lookAt: 1, _id: 1 } },
    ],
  },
  { collection: PENDING, indexes: [{ name: 'due', key: { dueAt: 1 } }] },
];

/** A copy without undefined fields, which MongoDB would turn into null. */
export function plain<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}
