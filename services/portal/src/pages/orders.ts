import type { Project } from '@hindsight/projects/project.ts';
import { projectPath } from '../domain/project-path.ts';
import type { ShownNetwork, ShownNetworks } from '../domain/shown-networks.ts';
import type { OrderPage, OrderStatus, ShownOrder } from '../order-answers.ts';
import type { Frame } from './frame.ts';
import { html, type Html } from './html.ts';
import { codeBox } from './parts/code-box.ts';
import { facts } from './parts/facts.ts';
import { choice } from './parts/form.ts';
import { moment } from './parts/format.ts';
import { KEY_PLACEHOLDER } from './parts/key.ts';
import { networkChoice, networkField, networkQuery } from './parts/network-choice.ts';
import { amountLine, short, stateLine, STATUS_WORDS } from './parts/order.ts';
import { projectPage } from './parts/project-page.ts';
import { scrollTable } from './parts/table.ts';

interface OrdersPage {
  readonly project: Project;
  readonly network: ShownNetwork;
  readonly networks: ShownNetworks;
  /** Unix milliseconds. */
  readonly now: number;
}

export interface OrdersModel extends OrdersPage {
  /** Null where this portal does not know the orders service. */
  readonly page: OrderPage | null;
  /** As chosen; undefined for all. */
  readonly status: OrderStatus | undefined;
  /** True on the first page, where new orders appear. */
  readonly isFirst: boolean;
  /** The gateway's public base URL. */
  readonly apiUrl: string;
}

export interface OrderModel extends OrdersPage {
  readonly order: ShownOrder;
}

/** A project's orders, newest first; public/orders.js keeps the first page up to date. */
export function ordersPage(frame: Frame, model: OrdersModel): string {
  const { project, page, status } = model;
  const path = ordersPath(project);
  const kept: Readonly<Record<string, string>> = status === undefined ? {} : { status };
  return projectPage(
    frame,
    { project, title: 'Orders', width: 'wide', modules: model.isFirst ? ['orders'] : [] },
    page === null
      ? html`<p class="empty">
          This portal shows no orders: its operator has not set <code>ORDERS_URL</code>.
        </p>`
      : html`${networkChoice(path, model, kept)} ${statusChoice(model, path)}
          <div ${model.isFirst && html`data-live`}>${orderList(model, page, path)}</div>
          ${
            model.isFirst
              ? html`<p class="meta" data-script>The list is updated every 5 seconds.</p>
                  <noscript><p class="meta">Reload the page to see new orders.</p></noscript>`
              : html`<p>
                  <a href="${path}?${new URLSearchParams({ ...networkQuery(model), ...kept }).toString()}"
                    >Newest orders</a
                  >
                </p>`
          }`,
  );
}

/** GET: the filter is in the address, so that it can be kept. */
function statusChoice(model: OrdersModel, path: string): Html {
  return html`<form method="get" action="${path}" class="filter">
    ${networkField(model)} ${choice('status', 'Status', STATUS_WORDS, model.status)}
    <div class="actions"><button type="submit">Filter</button></div>
  </form>`;
}

function orderList(model: OrdersModel, { orders, next }: OrderPage, path: string): Html {
  const { network, status, now, isFirst } = model;
  if (orders.length === 0) {
    if (status !== undefined) return html`<p class="empty">No ${status} orders.</p>`;
    return isFirst ? firstOrder(model) : html`<p class="empty">No more orders.</p>`;
  }
  const query = new URLSearchParams(networkQuery(model)).toString();
  const older = new URLSearchParams({
    ...networkQuery(model),
    ...(status !== undefined && { status }),
    cursor: next ?? '',
  });
  return html`${scrollTable({
      label: 'Orders of this project',
      columns: ['Order', 'Status', 'Received', 'Type', 'Swapper', 'Gives', 'Asks for', 'Deadline'],
      rows: orders.map(
        (one) =>
          html`<tr>
            <td>
              <a href="${path}/${one.orderHash}${query !== '' && `?${query}`}">${short(one.orderHash)}</a>
            </td>
            <td>${stateLine(one, now)}</td>
            <td>${moment(new Date(one.receivedAt))}</td>
            <td>${one.order.type}</td>
            <td>${short(one.order.swapper)}</td>
            <td>${amountLine(one.order.input, network)}</td>
            <td>${lines(one.order.outputs.map((output) => amountLine(output, network)))}</td>
            <td>${moment(one.order.deadline * 1000)}</td>
          </tr>`,
      ),
    })}
    <p class="meta">Token amounts are in the token’s smallest unit.</p>
    ${next !== null && html`<p><a href="${path}?${older.toString()}">Older orders</a></p>`}`;
}

function firstOrder({ apiUrl, network, project }: OrdersModel): Html {
  const url = `${apiUrl}/v1/${network.name}/orders/dex-webhook`;
  const headers = `-H 'content-type: application/json' -H 'x-api-key: ${KEY_PLACEHOLDER}'`;
  return html`<section aria-labelledby="first-title">
    <h2 id="first-title">No orders yet</h2>
    <p>
      Have your DEX protocol post signed UniswapX orders to this webhook. In the header
      <code>x-api-key</code> it sends a <a href="${projectPath(project.id)}/keys">key of this project</a> with
      the scope <code>webhook</code>. Each valid order appears here.
    </p>
    ${codeBox({ id: 'webhook', label: 'The webhook', text: url })}
    ${
      network.name === 'eth-mainnet' &&
      html`<p>From a clone of the repository, this command sends a signed test order:</p>
        ${codeBox({
          id: 'first-order',
          label: 'A first order, with curl',
          text: `npm run --silent order | curl -s ${headers} --data @- '${url}'`,
        })}`
    }
    <p><a href="/docs/watch-orders">Watch orders</a> · <a href="/docs/orders">Consume them from Kafka</a></p>
  </section>`;
}

/** One order in full; public/orders.js keeps it up to date. */
export function orderPage(frame: Frame, model: OrderModel): string {
  const { project, network, order: shown, now } = model;
  const { order, orderHash, receivedAt } = shown;
  const whole = (hex: string): Html => html`<code class="figure">${hex}</code>`;
  const token = (address: string): Html =>
    html`<a href="/token?${new URLSearchParams({ ...networkQuery(model), token: address }).toString()}"
      >${whole(address)}</a
    >`;
  const query = new URLSearchParams(networkQuery(model)).toString();
  const path = `${ordersPath(project)}${query && `?${query}`}`;
  return projectPage(
    frame,
    {
      project,
      title: 'Order',
      width: 'wide',
      modules: ['orders'],
      way: html` · <a href="${path}">Orders</a>`,
    },
    html`<div data-live>
      <p class="lead">${stateLine(shown, now)}</p>
      ${endFacts(model, token, whole)}
      <h2>Signed order</h2>
      ${facts({
        Hash: whole(orderHash),
        Received: moment(new Date(receivedAt)),
        Type: order.type,
        Gives: amountLine(order.input, network, token),
        'Asks for': lines(
          order.outputs.map(
            (output) =>
              html`${amountLine(output, network, token)}
              ${output.recipient !== undefined && html`for ${whole(output.recipient)}`}`,
          ),
        ),
        Deadline: moment(order.deadline * 1000),
        Swapper: whole(order.swapper),
        'Who may fill it first': order.filler === null ? 'Anyone' : whole(order.filler),
        Cosigner: order.cosigner === null ? 'None' : whole(order.cosigner),
        Reactor: whole(order.reactor),
        Nonce: html`<span class="figure">${order.nonce}</span>`,
      })}
      <p class="meta">Token amounts are in the token’s smallest unit.</p>
      <p><a href="/docs/orders">How an order ends</a></p>
    </div>`,
  );
}

/** The end of an order, or its fill that is not final; null for an open order without one. */
function endFacts(
  { project, network, networks, order: { state } }: OrderModel,
  token: (address: string) => Html,
  whole: (hex: string) => Html,
): Html | null {
  const { transaction, filler, sibling, amounts, amountsReason, fill } = state;
  if (state.status === 'open')
    return fill === undefined
      ? null
      : html`<h2>Filled, but not final yet</h2>
          ${facts({ Block: String(fill.block), Transaction: whole(fill.transaction), Filler: whole(fill.filler) })}`;
  const query = new URLSearchParams(networkQuery({ network, networks })).toString();
  return html`<h2>How it ended</h2>
    ${facts({
      ...(state.block !== undefined && { Block: String(state.block) }),
      ...(transaction !== undefined && { Transaction: whole(transaction) }),
      ...(filler !== undefined && { Filler: whole(filler) }),
      ...(sibling !== undefined && {
        'The other order': html`<a href="${ordersPath(project)}/${sibling}${query && `?${query}`}"
          >${whole(sibling)}</a
        >`,
      }),
      ...(amounts && {
        Given: amountLine(amounts.input, network, token),
        Paid: lines(amounts.outputs.map((output) => amountLine(output, network, token))),
      }),
      ...(amounts === null && { Paid: `Unknown: ${amountsReason ?? 'no reason given'}` }),
    })}`;
}

function lines(parts: readonly Html[]): Html {
  return html`${parts.map((part, i) => html`${i > 0 && html`<br />`}${part}`)}`;
}

function ordersPath(project: Project): string {
  return `${projectPath(project.id)}/orders`;
}
