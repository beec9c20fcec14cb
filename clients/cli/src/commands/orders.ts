import type { Command } from 'commander';
import { dim, openClient, print, toJson, type Context } from '../context.ts';

/** `hindsight orders tail` */
export function ordersCommand(program: Command, context: Context): void {
  program
    .command('orders')
    .description('signed orders of decentralized exchanges')
    .command('tail')
    .description('print orders as they are received, until Ctrl-C')
    .option('--after <id>', 'continue behind an event; 0 begins with the oldest that is kept')
    .option('--limit <count>', 'end after this many orders', Number)
    .option('--json', 'one JSON object a line, with the id of each event')
    .action(async ({ after, limit = Infinity, json }: { after?: string; limit?: number; json?: true }) => {
      const { signal } = context;
      let left = limit;
      for await (const event of openClient(context).orders.stream({ lastEventId: after, signal })) {
        const { payload, order, receivedAt } = event.order;
        const line = `${receivedAt}  ${payload.orderHash}  ${order.type}  ${order.swapper}`;
        print(context, json ? toJson(event) : `${line}  ${dim(context, event.id)}`);
        if (--left <= 0) return;
      }
    });
}
