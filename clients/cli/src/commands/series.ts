import type { Series } from '@hindsight/client';
import type { Command } from 'commander';
import { chart } from '../chart.ts';
import { openClient, print, printData, printJson, type Context } from '../context.ts';
import { csvLine } from '../csv.ts';
import { holderCell, holderColumn, holderNote, resolveOf, type Each } from '../meanings.ts';
import {
  DEFAULT_POINTS,
  noteDayAlone,
  noteFinality,
  parsePoints,
  STEPS,
  type PointOptions,
} from '../range.ts';
import { resolveToken } from '../token.ts';
import { shortDate } from '../when.ts';

interface Options extends PointOptions {
  readonly each?: Each;
  readonly csv?: true;
  readonly chart?: true;
  readonly json?: true;
}

/** `hindsight series USDC treasury.eth --from 2023-01-01 --step 1d --chart` */
export function seriesCommand(program: Command, context: Context): void {
  program
    .command('series')
    .description('a balance over time')
    .argument('<token>', 'an address, a symbol that is unique, or native')
    .argument('<holder>', 'an address or an ENS name')
    .requiredOption('--from <when>', 'a block number or a date')
    .option('--to <when>', 'a block number or a date (default: the latest block)')
    .option('--step <step>', `${STEPS.join(', ')}, or a number of blocks`)
    .option('--points <n>', `the number of points from end to end (default: ${DEFAULT_POINTS})`)
    .option(
      '--each',
      'for a name that moved: each of up to 100 points is of the address that the name meant at its block',
    )
    .option('--csv', 'CSV')
    .option('--chart', 'a line in the terminal')
    .option('--json', 'the answer as JSON')
    .action(async (token: string, holder: string, options: Options) => {
      const client = openClient(context);
      const { signal } = context;
      const series = await client.balance.series({
        token: await resolveToken(client, token, signal),
        holder,
        ...parsePoints(options),
        resolve: resolveOf(options.each),
        signal,
      });
      noteDayAlone(context, options.to);
      noteFinality(context, series);
      if (options.json) printJson(context, series);
      else if (options.chart) printChart(context, series);
      else if (options.csv) printCsv(context, series, options.each, holder);
      else printLines(context, series);
    });
}

function printCsv(context: Context, series: Series, each: Each, holder: string): void {
  printData(
    context,
    csvLine([...holderColumn(each), 'date', 'block', 'block_hash', 'balance', 'amount', 'reason']),
  );
  for (const point of series.points) {
    const { date, block, block_hash: hash, balance, reason } = point;
    const amount = balance === null ? '' : series.format(balance);
    const cells = [date, block, hash, balance, amount, reason];
    printData(context, csvLine([...holderCell(each, point, holder), ...cells]));
  }
}

function printLines(context: Context, series: Series): void {
  for (const point of series.points) {
    const { date, block, balance, reason } = point;
    const amount = balance === null ? `(${reason})` : series.format(balance);
    print(context, `${shortDate(date)}  ${block}  ${amount}${holderNote(point)}`);
  }
}

function printChart(context: Context, series: Series): void {
  const { points } = series;
  const lines = chart(
    points.map(({ balance }) => balance),
    (amount) => series.format(amount),
  );
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined || lines.length === 0) return print(context, 'no balances');
  for (const line of lines) print(context, line);
  print(context, `${first.date.slice(0, 16)}Z to ${last.date.slice(0, 16)}Z`);
}
