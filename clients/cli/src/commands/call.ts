import type { CallSeries } from '@hindsight/client';
import type { Command } from 'commander';
import { dim, openClient, print, printData, printJson, type Context } from '../context.ts';
import { csvLine } from '../csv.ts';
import { UsageError } from '../exit-codes.ts';
import {
  DEFAULT_POINTS,
  noteDayAlone,
  noteFinality,
  parsePoints,
  STEPS,
  type PointOptions,
} from '../range.ts';
import { blockWords, parseWhen, shortDate } from '../when.ts';

interface Options extends Partial<PointOptions> {
  readonly at?: string;
  readonly csv?: true;
  readonly json?: true;
}

/** `hindsight call 0x83F2… 'convertToAssets(uint256) returns (uint256)' 1000000000000000000 --at 2023-08-26` */
export function callCommand(program: Command, context: Context): void {
  program
    .command('call')
    .description('call a view of a contract at a block')
    .argument('<contract>', 'an address or an ENS name')
    .argument('<function>', "a signature with what it returns: 'decimals() returns (uint8)'")
    .argument('[arguments...]', 'its arguments; lists and structs as JSON')
    .option('--at <when>', 'a block number, a block hash or a date (default: the latest block)')
    .option('--from <when>', 'over time: the first point, a block number or a date')
    .option('--to <when>', 'the end (default: the latest block)')
    .option('--step <step>', `${STEPS.join(', ')}, or a number of blocks`)
    .option('--points <n>', `the number of points from end to end (default: ${DEFAULT_POINTS})`)
    .option('--csv', 'over time: as CSV')
    .option('--json', 'the answer as JSON')
    .action(async (target: string, view: string, words: string[], options: Options) => {
      if (isOverTime(options)) return printSeries(context, { target, function: view, words }, options);
      if (Object.keys(options).some((name) => ['to', 'step', 'points', 'csv'].includes(name)))
        throw new UsageError('a call over time needs --from');
      const answer = await openClient(context).call({
        target,
        function: view,
        args: [words.map(valueOf)],
        ...parseWhen(options.at),
        signal: context.signal,
      });
      if (options.json) return printJson(context, answer);
      const [row] = answer.results;
      if (row === undefined || !('values' in row) || row.values === undefined)
        throw new Error(row !== undefined && 'message' in row ? String(row.message) : 'no answer');
      for (const line of [...row.values.map(textOf), ...rawOf(row)]) print(context, line);
      print(context, dim(context, blockWords(answer)));
    });
}

function isOverTime(options: Options): options is Options & PointOptions {
  return options.from !== undefined;
}

interface Asked {
  readonly target: string;
  readonly function: string;
  readonly words: readonly string[];
}

async function printSeries(
  context: Context,
  { words, ...asked }: Asked,
  options: Options & PointOptions,
): Promise<void> {
  if (options.at !== undefined) throw new UsageError('give one of --at and --from');
  const series = await openClient(context).callSeries({
    ...asked,
    args: words.map(valueOf),
    ...parsePoints(options),
    signal: context.signal,
  });
  noteDayAlone(context, options.to);
  noteFinality(context, series);
  if (options.json) return printJson(context, series);
  if (options.csv) printData(context, csvLine(['date', 'block', 'block_hash', 'values', 'reason']));
  for (const point of series.points) {
    const values =
      'values' in point && point.values ? [...point.values.map(textOf), ...rawOf(point)] : undefined;
    const { date, block, block_hash: hash } = point;
    const reason = values ? '' : reasonOf(point);
    if (options.csv) printData(context, csvLine([date, block, hash, values?.join(' '), reason]));
    else print(context, `${shortDate(date)}  ${block}  ${values?.join(' ') ?? `(${reason})`}`);
  }
}

/** The answer to a signature that declares no types. */
function rawOf({ data }: { readonly data?: string }): readonly string[] {
  return data === undefined ? [] : [data];
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function reasonOf(point: CallSeries['points'][number]): string {
  if ('reverted' in point && point.reverted) return point.reverted.reason ?? 'reverted';
  if ('error' in point && point.error) return point.error.message;
  return 'reason' in point && point.reason ? point.reason : 'no answer';
}

/** Numbers stay text, which is exact; lists and structs are JSON. */
function valueOf(word: string): unknown {
  if (!/^[[{]/.test(word)) return word === 'true' ? true : word === 'false' ? false : word;
  try {
    return JSON.parse(word) as unknown;
  } catch {
    throw new UsageError(`${word}: not valid JSON`);
  }
}
