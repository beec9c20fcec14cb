/** The queries of lists in MongoDB: points of an index, and one range at its end at the most. */
import { ORDER_TYPES } from '../domain/order.ts';
import type { OrderFilter, OrderPlace } from '../domain/order-list.ts';
import { ORDER_STATUSES, type OrderStatus } from '../domain/order-state.ts';
import { listIndexOf, NARROW } from './list-indexes.ts';
import { LISTED } from './mongodb-documents.ts';

export interface ListQuery {
  /** The index that serves it. */
  readonly name: string;
  readonly find: Readonly<Record<string, unknown>>;
}

/** The order of every list. */
export const NEWEST_FIRST = { receivedAt: -1, _id: -1 } as const;

/** The queries of a page, the second for what the first leaves. Behind a place: its own millisecond, then what is older. */
export function listQueries(
  filter: OrderFilter,
  after?: OrderPlace,
): readonly [ListQuery, ListQuery | undefined] {
  const narrow = NARROW.flatMap((name) =>
    filter[name] === undefined ? [] : [[LISTED[name], filter[name]] as const],
  );
  const query = (place: Readonly<Record<string, unknown>>): ListQuery => ({
    name: listIndexOf(filter).name,
    find: {
      [LISTED.network]: filter.network,
      ...Object.fromEntries(narrow),
      [LISTED.status]: { $in: statuses(filter.status) },
      [LISTED.type]: { $in: filter.type === undefined ? ORDER_TYPES : [filter.type] },
      ...place,
    },
  });
  if (after === undefined) return [query({}), undefined];
  const { receivedAt, id } = after;
  return [query({ receivedAt, _id: { $lt: id } }), query({ receivedAt: { $lt: receivedAt } })];
}

/** Documents of releases that stored no state are open. */
function statuses(status: OrderStatus | undefined): readonly (OrderStatus | null)[] {
  if (status === undefined) return [...ORDER_STATUSES, null];
  return status === 'open' ? ['open', null] : [status];
}
