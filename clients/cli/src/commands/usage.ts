import type { Command } from 'commander';
import { openClient, print, printJson, type Context } from '../context.ts';

/** `hindsight usage` */
export function usageCommand(program: Command, context: Context): void {
  program
    .command('usage')
    .description('the plan, the limit of the month, and what of it is used')
    .option('--json', 'the answer as JSON')
    .action(async (options: { json?: true }) => {
      const usage = await openClient(context).usage(context.signal);
      if (options.json) return printJson(context, usage);
      const { used, limit, remaining } = usage.requests;
      print(context, `plan        ${usage.plan}`);
      print(context, `used        ${used.toLocaleString('en')} of ${limit.toLocaleString('en')} units`);
      print(context, `left        ${remaining.toLocaleString('en')} until ${usage.period.end.slice(0, 10)}`);
      print(context, `orders      ${usage.orders.received.toLocaleString('en')} received`);
    });
}
