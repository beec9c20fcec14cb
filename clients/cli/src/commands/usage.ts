import { Option, type Command } from 'commander';
import { openClient, print, printData, printJson, type Context } from '../context.ts';
import { csvLine } from '../csv.ts';

interface UsageOptions {
  readonly month?: string;
  readonly by?: 'day' | 'endpoint' | 'status' | 'key';
  readonly csv?: true;
  readonly json?: true;
}

/** `hindsight usage` */
export function usageCommand(program: Command, context: Context): void {
  program
    .command('usage')
    .description('the plan, the limit of the month, and what of it is used')
    .option('--month <month>', 'this month, or one of the two before it, such as 2026-11')
    .addOption(new Option('--by <what>', 'each day by what').choices(['day', 'endpoint', 'status', 'key']))
    .option('--csv', 'the days as CSV, or what --by names')
    .option('--json', 'the answer as JSON')
    .action(async ({ month, by, csv, json }: UsageOptions) => {
      const { signal } = context;
      const question = { ...(month && { month }), ...(csv ? { by: by ?? 'day' } : by && { by }), signal };
      const usage = await openClient(context).usage(question);
      if (json) return printJson(context, usage);
      const rows = usage.breakdown ?? [];
      if (csv) {
        const isByDay = by === undefined || by === 'day';
        printData(context, csvLine(['date', ...(isByDay ? [] : [by]), 'requests']));
        for (const { date, name, requests } of rows)
          printData(context, csvLine([date, ...(isByDay ? [] : [name]), requests]));
        return;
      }
      const { used, limit, remaining } = usage.requests;
      const { start, end } = usage.period;
      // The limit is today's, which a past month may not have had.
      const isOver = Date.parse(end) <= Date.now();
      const all = isOver ? `units in ${start.slice(0, 7)}` : `of ${limit.toLocaleString('en')} units`;
      print(context, `plan        ${usage.plan}`);
      print(context, `used        ${used.toLocaleString('en')} ${all}`);
      if (!isOver) print(context, `left        ${remaining.toLocaleString('en')} until ${end.slice(0, 10)}`);
      print(context, `orders      ${usage.orders.received.toLocaleString('en')} received`);
      for (const { date, name, requests } of rows)
        print(context, `${date}  ${(name ?? '').padEnd(20)}  ${requests.toLocaleString('en')}`);
    });
}
