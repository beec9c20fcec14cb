import type { HttpServer } from '@hindsight/http/types.ts';
import { badRequest, notFound } from '@hindsight/kernel/errors.ts';
import { chosenNetwork, type ShownNetworks } from '../domain/shown-networks.ts';
import { ORDER_STATUSES, type OrderStatus } from '../order-answers.ts';
import { orderPage, ordersPage } from '../pages/orders.ts';
import type { ProjectOrders } from '../ports.ts';
import { onProject, sendProjectPage, type DashboardDeps, type Visit } from './dashboard.ts';

interface OrdersDeps extends DashboardDeps {
  /** Null where this portal does not know the orders service. */
  readonly orders: ProjectOrders | null;
  readonly networks: ShownNetworks;
}

/** `GET …/orders` and `…/orders/<hash>`, below a project's path. */
export function addOrders(app: HttpServer, deps: OrdersDeps): void {
  const { orders, networks, apiUrl, context } = deps;
  onProject(app, deps, 'GET', '/orders', async (visit) => {
    const { request, project } = visit;
    const network = chosenNetwork(networks, request.query.network);
    const status = statusOf(request.query.status);
    const cursor = cursorOf(request.query.cursor);
    const asked = { network: network.name, project: project.id, status, cursor };
    await sendProjectPage(deps, visit, ordersPage, {
      ...{ project, network, networks, status, apiUrl, now: context.clock.now() },
      isFirst: cursor === undefined,
      page: orders && (await orders.list(asked)),
    });
  });
  onProject(app, deps, 'GET', '/orders/:hash', async (visit) => {
    const { request, project } = visit;
    const network = chosenNetwork(networks, request.query.network);
    const orderHash = hashOf(visit);
    if (orders === null) throw notFound('not_found', 'This portal shows no orders.');
    await sendProjectPage(deps, visit, orderPage, {
      ...{ project, network, networks, now: context.clock.now() },
      order: await orders.find({ network: network.name, project: project.id, orderHash }),
    });
  });
}

/** @throws {ApiError} 400: a typo must not show everything */
function statusOf(asked: unknown): OrderStatus | undefined {
  if (asked === undefined || asked === '') return undefined;
  const status = ORDER_STATUSES.find((one) => one === asked);
  if (status === undefined) throw badRequest(`status: expected one of ${ORDER_STATUSES.join(', ')}`);
  return status;
}

/** @throws {ApiError} 400 */
function cursorOf(asked: unknown): string | undefined {
  if (asked === undefined || asked === '') return undefined;
  if (typeof asked !== 'string' || !/^[\w-]{1,200}$/.test(asked))
    throw badRequest('cursor: expected that of a link to older orders');
  return asked;
}

function hashOf({ request }: Visit): string {
  const { hash = '' } = request.params as { readonly hash?: string };
  if (!/^0x[0-9a-fA-F]{64}$/.test(hash))
    throw badRequest('hash: expected an order’s hash: 0x and 64 hexadecimal digits');
  return hash;
}
