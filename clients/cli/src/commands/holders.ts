import type { Client, HeldQuestion, TokenHolder } from '@hindsight/client';
import type { Command } from 'commander';
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { note, openClient, print, printData, toJson, type Context } from '../context.ts';
import { csvLine } from '../csv.ts';
import { UsageError } from '../exit-codes.ts';
import { HoldersReport, NOTHING, refuseOtherIndex, type Done } from '../holders-report.ts';
import { Progress } from '../progress.ts';
import { wholeNumber } from '../range.ts';
import { refuseOtherBlock, SnapshotFile } from '../snapshot-file.ts';
import { resolveToken } from '../token.ts';
import { parseWhen } from '../when.ts';
import { toParquet } from '../holders-parquet.ts';
import { printLargest } from '../largest-holders.ts';

interface Options {
  readonly at?: string;
  readonly id?: string;
  readonly largest?: string;
  readonly parquet?: string;
  readonly output?: string;
  readonly resume?: true;
  readonly csv?: true;
  readonly json?: true;
}

const HEADER = csvLine(['holder', 'balance', 'amount', 'error']);

/** `hindsight holders USDC --at 2023-08-26 -o holders.csv --resume` */
export function holdersCommand(program: Command, context: Context): void {
  program
    .command('holders')
    .description('every wallet that held a token at one block')
    .argument('<token>', 'an address, or a symbol that is unique')
    .option('--at <when>', 'a block number, a block hash or a date (default: the latest block)')
    .option('--id <id>', 'the holders of one id of an ERC-1155, or the owner of one of an ERC-721')
    .option('--largest <n>', 'the largest holders, with their share of the supply: 1 to 1,000')
    .option('--parquet <file>', 'write a Parquet file')
    .option('-o, --output <file>', 'write CSV to a file, with progress')
    .option('--resume', 'continue a file that was interrupted')
    .option('--csv', 'as CSV')
    .option('--json', 'one JSON object a line')
    .action(async (text: string, options: Options) => {
      refuseConflicts(options);
      const client = openClient(context);
      const token = await resolveToken(client, text, context.signal);
      if (token === 'native') throw new UsageError('holders of ether cannot be listed: give a token');
      const { at, id: tokenId, largest, parquet, output } = options;
      const question = { token, tokenId, ...parseWhen(at), signal: context.signal };
      if (largest !== undefined) {
        const limit = wholeNumber('--largest', largest, 1);
        await printLargest(context, client, { ...question, limit }, options);
      } else if (parquet !== undefined) await toParquet(context, client, question, parquet);
      else if (output === undefined) await toOutput(context, { client, question, options });
      else await toFile(context, { client, question, options }, output);
    });
}

function refuseConflicts({ output, json, csv, largest, parquet, resume }: Options): void {
  if (output !== undefined && json)
    throw new UsageError('--json is for standard output; --output writes CSV');
  if ([output, largest, parquet].filter((each) => each !== undefined).length > 1)
    throw new UsageError('--output, --largest and --parquet exclude each other');
  if (parquet !== undefined && (csv || json || resume))
    throw new UsageError('--parquet writes a file, from its beginning: leave out --csv, --json and --resume');
}

interface Job {
  readonly client: Client;
  readonly question: HeldQuestion;
  readonly options: Options;
}

async function toOutput(context: Context, { client, question, options }: Job): Promise<void> {
  const { csv, json } = options;
  const report = new HoldersReport(context);
  if (csv) printData(context, HEADER);
  const { onFacts, onTotals } = report;
  const list = client.holders.list({ ...question, ahead: true, onFacts, onTotals });
  for await (const row of list) {
    const { holder, balance, error } = row;
    if (json) printData(context, toJson({ holder, balance, error: error?.message }));
    else if (csv) printData(context, lineOf(row));
    else print(context, `${holder}  ${error?.message ?? `${row.format()} ${report.symbol}`.trimEnd()}`);
  }
  report.end();
}

async function toFile(context: Context, { client, question, options }: Job, path: string): Promise<void> {
  const output = await SnapshotFile.open(path, options.resume === true);
  const { token, tokenId, signal, ...when } = question;
  const { note: earlier, rows } = output;
  if (earlier?.holders !== undefined) throw new UsageError(`${path} was begun by hindsight snapshot`);
  const asset = tokenId === undefined ? token : `${token} ${tokenId}`;
  if (earlier && earlier.tokens.join().toLowerCase() !== asset.toLowerCase())
    throw new UsageError(`${path} is about another token: ${earlier.tokens.join(', ')}`);
  if (earlier) await refuseOtherBlock(client, path, earlier, { ...when, signal: context.signal });
  const done = rows === 0 ? NOTHING : await readDone(path);
  const report = new HoldersReport(context, done);
  const progress = new Progress(context, rows, 0);
  try {
    const list = client.holders.list({
      token,
      tokenId,
      signal,
      ...(earlier ? { blockHash: earlier.block_hash } : when),
      after: done.last,
      ahead: true,
      onTotals: report.onTotals,
      onFacts(facts) {
        report.onFacts(facts);
        const { block_hash, checked_at_block: block, index } = facts;
        const { from_block = index.from_block } = earlier ?? {};
        refuseOtherIndex(from_block, facts);
        if (!earlier) output.begin({ tokens: [asset], block_hash, block, from_block }, HEADER);
      },
    });
    for await (const row of list) {
      output.add(lineOf(row));
      progress.add();
    }
  } catch (error) {
    output.failedBy(error);
    throw error;
  } finally {
    output.flush();
    progress.end();
  }
  output.complete();
  report.end();
  note(context, `${path} is complete`);
}

async function readDone(path: string): Promise<Done> {
  const done = { last: undefined as string | undefined, holders: 0, errors: 0, sum: 0n };
  for await (const line of createInterface({ input: createReadStream(path), crlfDelay: Infinity })) {
    const [holder = '', balance = ''] = line.split(',', 2);
    // Neither the head nor, in an error's text, a line end of its own is a row.
    if (!/^0x[0-9a-f]{40}$/i.test(holder)) continue;
    done.last = holder;
    if (balance === '') done.errors += 1;
    else {
      done.holders += 1;
      done.sum += BigInt(balance);
    }
  }
  return done;
}

function lineOf(row: TokenHolder): string {
  return csvLine([row.holder, row.balance, row.format(), row.error?.message]);
}
