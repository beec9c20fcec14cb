/**
 * The indexes of lists of orders. Each choice of narrow filters has its own; the few statuses and types are listed where a
 * query names none. So a query reads what it answers, however many orders there are.
 */
import type { OrderFilter } from '../domain/order-list.ts';

/** The filters that have many values, in the order of an index. */
export const NARROW = ['projectId', 'swapper', 'filler'] as const;

type Narrow = (typeof NARROW)[number];

/** One index: the network, these filters, status and type, and the place in the list. */
export interface ListIndex {
  readonly name: string;
  readonly filters: readonly Narrow[];
}

export const LIST_INDEXES: readonly ListIndex[] = Array.from({ length: 1 << NARROW.length }, (_, bits) =>
  indexOn(NARROW.filter((_filter, bit) => (bits >> bit) & 1)),
);

export function listIndexOf(filter: OrderFilter): ListIndex {
  return indexOn(NARROW.filter((name) => filter[name] !== undefined));
}

function indexOn(filters: readonly Narrow[]): ListIndex {
  return { name: ['list', ...filters].join('_'), filters };
}
