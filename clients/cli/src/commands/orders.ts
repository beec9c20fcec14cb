import type { Order, OrderEndEvent, OrderEvent, OrderListQuestion } from '@hindsight/client';
import { Option, type Command } from 'commander';
import { dim, note, openClient, print, printData, printJson, toJson, type Context } from '../context.ts';
import { wholeNumber } from '../range.ts';

/** Orders of a list without `--limit`. */
const DEFAULT_LIMIT = 100;

/** `hindsight orders tail`, `hindsight orders list --status open`, `hindsight orders get 0x…` */
export function ordersCommand(program: Command, context: Context): void {
  const orders = program.command('orders').description('signed orders of decentralized exchanges');
  orders
    .command('tail')
    .description('print orders as they are received, until Ctrl-C')
    .option('--after <id>', 'continue after an event; 0 begins with the oldest that is kept')
    .option('--ends', 'also how orders end, once that is final')
    .option('--limit <count>', 'end after this many events', limitOf)
    .option('--json', 'one JSON object a line, with the id of each event')
    .action(async ({ after, ends = false, limit = Infinity, json }: TailOptions) => {
      const { signal } = context;
      let left = limit;
      for await (const event of openClient(context).orders.stream({ lastEventId: after, ends, signal })) {
        if (json) printData(context, toJson(event));
        else print(context, `${eventLine(event)}  ${dim(context, event.id)}`);
        if (--left <= 0) return;
      }
    });
  orders
    .command('list')
    .description('orders that were received, newest first')
    .addOption(
      new Option('--status <status>', 'orders in this state').choices([
        'open',
        'filled',
        'cancelled',
        'expired',
      ]),
    )
    .option('--swapper <address>', 'orders that this account signed')
    .option('--filler <address>', 'orders that this account filled')
    .option('--type <type>', 'Dutch, Limit, Dutch_V2, Dutch_V3 or Priority')
    .option('--own', 'only orders that keys of this project have sent')
    .option('--limit <count>', `at most this many orders (default: ${DEFAULT_LIMIT})`, limitOf)
    .option('--json', 'one JSON object a line')
    .action(async ({ limit, json, ...filters }: ListOptions) => {
      const most = limit ?? DEFAULT_LIMIT;
      const asked = { ...filters, pageSize: Math.min(most, 500), signal: context.signal };
      let left = most;
      for await (const order of openClient(context).orders.list(asked)) {
        if (left === 0) return note(context, `there are more than ${most}: see --limit`);
        if (json) printData(context, toJson(order));
        else print(context, lineOf(order));
        left -= 1;
        if (left === 0 && limit !== undefined) return;
      }
    });
  orders
    .command('get')
    .description('one order and its state')
    .argument('<hash>', 'the hash of the order')
    .option('--json', 'the answer as JSON')
    .action(async (hash: string, { json }: { json?: true }) => {
      const order = await openClient(context).orders.get(hash, context.signal);
      if (json) return printJson(context, order);
      print(context, lineOf(order));
    });
}

const limitOf = (text: string): number => wholeNumber('--limit', text, 1);

interface TailOptions {
  readonly after?: string;
  readonly ends?: boolean;
  readonly limit?: number;
  readonly json?: true;
}

function eventLine({ type, order }: OrderEvent | OrderEndEvent): string {
  if (type !== 'order-received') return `${type}  ${order.orderHash}  ${order.type}  ${order.swapper}`;
  return `${order.receivedAt}  ${order.payload.orderHash}  ${order.order.type}  ${order.order.swapper}`;
}

interface ListOptions extends Pick<OrderListQuestion, 'status' | 'swapper' | 'filler' | 'type' | 'own'> {
  readonly limit?: number;
  readonly json?: true;
}

function lineOf({ receivedAt, orderHash, order, state }: Order): string {
  return `${receivedAt}  ${orderHash}  ${order.type}  ${order.swapper}  ${state.status}`;
}
