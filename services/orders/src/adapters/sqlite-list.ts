/** Lists of orders in the embedded database. */
import { ORDER_TYPES } from '../domain/order.ts';
import type { OrderFilter, OrderPlace } from '../domain/order-list.ts';
import { ORDER_STATUSES } from '../domain/order-state.ts';
import { LIST_INDEXES, listIndexOf, NARROW, type ListIndex } from './list-indexes.ts';

const COLUMNS = { projectId: 'project_id', swapper: 'swapper', filler: 'filler' } as const;

/** Columns that are computed of the record and the state, and the indexes on them. */
export const LIST_SCHEMA = [
  ...Object.entries({
    network: "record, '$.network'",
    project_id: "record, '$.projectId'",
    swapper: "record, '$.order.swapper'",
    type: "record, '$.order.type'",
    status: "state, '$.status'",
    filler: "state, '$.filler'",
  }).map(
    ([column, path]) => `ALTER TABLE orders ADD COLUMN ${column} TEXT AS (json_extract(${path})) VIRTUAL;`,
  ),
  ...LIST_INDEXES.map(
    ({ name, filters }) =>
      `CREATE INDEX orders_${name} ON orders (${columnsOf(filters).join(', ')}, received_at DESC, id DESC);`,
  ),
].join('\n');

function columnsOf(filters: ListIndex['filters']): string[] {
  return ['network', ...filters.map((filter) => COLUMNS[filter]), 'status', 'type'];
}

/** The text of a list's query: one search of an index for each status and type, merged in their order. */
export function listSql(filter: OrderFilter, after: OrderPlace | undefined): string {
  const { name } = listIndexOf(filter);
  const narrow = NARROW.flatMap((each) =>
    filter[each] === undefined ? [] : [`AND ${COLUMNS[each]} = :${each}`],
  );
  const behind = after === undefined ? '' : 'AND (received_at, id) < (:receivedAt, :id)';
  const searches = (filter.status === undefined ? ORDER_STATUSES : [filter.status]).flatMap((status) =>
    (filter.type === undefined ? ORDER_TYPES : [filter.type]).map(
      (type) =>
        `SELECT received_at, id, record, state FROM orders INDEXED BY orders_${name}
          WHERE network = :network ${narrow.join(' ')} AND status = '${status}' AND type = '${type}' ${behind}`,
    ),
  );
  return `${searches.join(' UNION ALL ')} ORDER BY received_at DESC, id DESC LIMIT :limit`;
}

export function listValues(
  { network, projectId, swapper, filler }: OrderFilter,
  after: OrderPlace | undefined,
  limit: number,
): Record<string, string | number> {
  const { receivedAt, id } = after ?? {};
  const values = { network, projectId, swapper, filler, receivedAt, id, limit };
  return Object.fromEntries(
    Object.entries(values).filter((entry): entry is [string, string | number] => entry[1] !== undefined),
  );
}
