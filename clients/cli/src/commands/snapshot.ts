import type { Client, SnapshotRow } from '@hindsight/client';
import type { Command } from 'commander';
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { note, openClient, printData, toJson, type Context } from '../context.ts';
import { csvLine } from '../csv.ts';
import { UsageError } from '../exit-codes.ts';
import { countHolders, readCounted, readHolders } from '../holders-file.ts';
import { isStdin, openInput } from '../input.ts';
import { Progress } from '../progress.ts';
import { refuseOtherBlock, SnapshotFile } from '../snapshot-file.ts';
import { resolveTokens } from '../token.ts';
import { blockWords, parseWhen } from '../when.ts';

interface Options {
  readonly token: string;
  readonly at?: string;
  readonly output?: string;
  readonly resume?: true;
  readonly json?: true;
  readonly proof?: true;
}

/** `hindsight snapshot --token USDC --at 2023-08-26 holders.csv -o out.csv --resume` */
export function snapshotCommand(program: Command, context: Context): void {
  program
    .command('snapshot')
    .description('what many wallets held at one block')
    .argument('[file]', 'one holder a line, or CSV with the holder first (default or `-`: standard input)')
    .requiredOption(
      '--token <token>',
      'an address, a symbol that is unique, or native; up to ten, with commas',
    )
    .option('--at <when>', 'a block number, a block hash or a date (default: the latest block)')
    .option('-o, --output <file>', 'write CSV to a file, with progress; with --proof, NDJSON')
    .option('--resume', 'continue a file that was interrupted')
    .option('--json', 'one JSON object a line on standard output')
    .option('--proof', 'the records of the server with the proof of each row, for `hindsight verify`')
    .action(async (file: string | undefined, options: Options) => {
      const client = openClient(context);
      if (options.proof && options.json)
        throw new UsageError('--proof writes JSON lines of its own, without --json');
      const tokens = await resolveTokens(client, options.token, context.signal);
      if (options.output === undefined) return toOutput(context, client, { file, tokens, options });
      if (isStdin(file)) throw new UsageError('a file of holders is needed with --output');
      if (options.json) throw new UsageError('--json is for standard output; --output writes CSV');
      await toFile(context, client, { file, tokens, options, path: options.output });
    });
}

interface Job {
  readonly file: string | undefined;
  readonly tokens: readonly string[];
  readonly options: Options;
}

async function toOutput(context: Context, client: Client, { file, tokens, options }: Job): Promise<void> {
  const holders = readHolders(await openInput(context, file));
  const when = parseWhen(options.at);
  const question = { token: tokens, ...when, signal: context.signal };
  if (options.proof) {
    const onRecord = (record: object): void => printData(context, JSON.stringify(record));
    for await (const _row of client.snapshot(holders, { ...question, proof: 'storage', onRecord })) continue;
    return;
  }
  if (!options.json) printData(context, headerOf(tokens));
  const rows = client.snapshot(holders, {
    ...question,
    onFacts: (facts) => note(context, blockWords(facts, facts.block_hash)),
  });
  for await (const row of rows) {
    const { holder, balances, error } = row;
    if (!options.json) printData(context, lineOf(row, tokens));
    else
      printData(context, toJson({ holder, balances: Object.fromEntries(balances), error: error?.message }));
  }
}

async function toFile(
  context: Context,
  client: Client,
  { file, tokens, options, path }: Job & { readonly file: string; readonly path: string },
): Promise<void> {
  // Before the output is made: a name that was mistyped leaves nothing behind.
  const list = await countHolders(file);
  const { count, hash } = list;
  if (count === 0) throw new UsageError(`${file} has no holders`);
  const { proof } = options;
  const output = await SnapshotFile.open(path, options.resume === true, proof);
  const { note: earlier, rows: done } = output;
  if (earlier?.from_block !== undefined) throw new UsageError(`${path} was begun by hindsight holders`);
  if (earlier && earlier.tokens.join().toLowerCase() !== tokens.join().toLowerCase())
    throw new UsageError(`${path} is about other tokens: ${earlier.tokens.join(', ')}`);
  if ((earlier?.holders ?? hash) !== hash)
    throw new UsageError(`${path} was begun with other holders than those of ${file}`);
  const asked = parseWhen(options.at);
  if (earlier) await refuseOtherBlock(client, path, earlier, { ...asked, signal: context.signal });
  const when = earlier ? { blockHash: earlier.block_hash } : asked;
  const progress = new Progress(context, done, count);
  let failed = done === 0 ? 0 : await countErrors(path);
  try {
    const rows = client.snapshot(readCounted(file, list, done), {
      token: tokens,
      ...when,
      signal: context.signal,
      ...(proof && { proof: 'storage', onRecord: (record: object) => output.add(JSON.stringify(record)) }),
      onFacts: ({ block_hash, checked_at_block: block, finalized }) => {
        if (!finalized) note(context, `block ${block} is not final yet`);
        if (!earlier)
          output.begin({ tokens, block_hash, block, holders: hash }, proof ? undefined : headerOf(tokens));
      },
    });
    for await (const row of rows) {
      if (!proof) output.add(lineOf(row, tokens));
      progress.add();
      if (row.error) failed += 1;
    }
  } catch (error) {
    output.failedBy(error);
    throw error;
  } finally {
    output.flush();
    progress.end();
  }
  output.complete();
  note(
    context,
    `${path} is complete${failed === 0 ? '' : `; ${failed} ${failed === 1 ? 'row has' : 'rows have'} an error`}`,
  );
}

/** Rows of an earlier run that have an error: records of their own, or lines with a last cell. */
async function countErrors(path: string): Promise<number> {
  let errors = 0;
  for await (const line of createInterface({ input: createReadStream(path), crlfDelay: Infinity }))
    if (line.startsWith('{') ? line.startsWith('{"record":"error"') : !/^# |,(error)?$/.test(line))
      errors += 1;
  return errors;
}

function headerOf(tokens: readonly string[]): string {
  return csvLine(
    tokens.length === 1 ? ['holder', 'balance', 'amount', 'error'] : ['holder', ...tokens, 'error'],
  );
}

function lineOf(row: SnapshotRow, tokens: readonly string[]): string {
  const amounts =
    tokens.length === 1 ? [row.balance, row.format()] : tokens.map((token) => row.balances.get(token));
  return csvLine([row.holder, ...amounts, row.error?.message]);
}
