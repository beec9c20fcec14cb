import type { Client, HolderFacts, HolderTotals, TokenHolder } from '@hindsight/client';
import { formatUnits } from '@hindsight/client';
import type { Command } from 'commander';
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { note, openClient, print, toJson, type Context } from '../context.ts';
import { csvLine } from '../csv.ts';
import { UsageError } from '../exit-codes.ts';
import { Progress } from '../progress.ts';
import { SnapshotFile } from '../snapshot-file.ts';
import { resolveToken } from '../token.ts';
import { parseWhen } from '../when.ts';

interface Options {
  readonly at?: string;
  readonly output?: string;
  readonly resume?: true;
  readonly csv?: true;
  readonly json?: true;
}

const HEADER = csvLine(['holder', 'balance', 'amount', 'error']);

/** Rows that are written at a time. */
const ROWS_AT_ONCE = 200;

/** `hindsight holders USDC --at 2023-08-26 -o holders.csv --resume` */
export function holdersCommand(program: Command, context: Context): void {
  program
    .command('holders')
    .description('every wallet that held a token at one block')
    .argument('<token>', 'an address, or a symbol that is unique')
    .option('--at <when>', 'a block number, a block hash or a date (default: the latest block)')
    .option('-o, --output <file>', 'write CSV to a file, with progress')
    .option('--resume', 'continue a file that was interrupted')
    .option('--csv', 'as CSV')
    .option('--json', 'one JSON object a line')
    .action(async (text: string, options: Options) => {
      if (options.output !== undefined && options.json)
        throw new UsageError('--json is for standard output; --output writes CSV');
      const client = openClient(context);
      const token = await resolveToken(client, text, context.signal);
      if (token === 'native') throw new UsageError('holders of ether cannot be listed: give a token');
      const job = { client, token, options };
      if (options.output === undefined) await toOutput(context, job);
      else await toFile(context, job, options.output);
    });
}

interface Job {
  readonly client: Client;
  readonly token: string;
  readonly options: Options;
}

async function toOutput(context: Context, { client, token, options }: Job): Promise<void> {
  const { csv, json, at } = options;
  const report = new Report(context);
  if (csv) print(context, HEADER);
  const list = client.holders.list({ token, ...parseWhen(at), ...report.hooks(), signal: context.signal });
  for await (const row of list) {
    const { holder, balance, error } = row;
    if (json) print(context, toJson({ holder, balance, error: error?.message }));
    else if (csv) print(context, lineOf(row));
    else print(context, `${holder}  ${error?.message ?? `${row.format()} ${report.symbol}`.trimEnd()}`);
  }
  report.end();
}

async function toFile(context: Context, { client, token, options }: Job, path: string): Promise<void> {
  const output = await SnapshotFile.open(path, options.resume === true);
  const { note: earlier, rows } = output;
  if (earlier && earlier.tokens.join().toLowerCase() !== token.toLowerCase())
    throw new UsageError(`${path} is about another token: ${earlier.tokens.join(', ')}`);
  const done = rows === 0 ? NOTHING : await readDone(path);
  const report = new Report(context, done);
  const progress = new Progress(context, rows, 0);
  let lines: string[] = [];
  const flush = (): void => {
    if (lines.length > 0) output.write(`${lines.join('\n')}\n`);
    progress.add(lines.length);
    lines = [];
  };
  const { onFacts, onTotals } = report.hooks();
  try {
    const list = client.holders.list({
      token,
      ...(earlier ? { blockHash: earlier.block_hash } : parseWhen(options.at)),
      after: done.last,
      signal: context.signal,
      onTotals,
      onFacts(facts) {
        onFacts(facts);
        const { block_hash, checked_at_block: block } = facts;
        if (!earlier) output.begin({ tokens: [token], block_hash, block }, HEADER);
      },
    });
    for await (const row of list) {
      lines.push(lineOf(row));
      if (lines.length === ROWS_AT_ONCE) flush();
    }
  } finally {
    flush();
    progress.end();
  }
  output.complete();
  report.end();
  note(context, `${path} is complete`);
}

/** Rows of an earlier run. */
interface Done {
  readonly last: string | undefined;
  readonly holders: number;
  readonly errors: number;
  readonly sum: bigint;
}

const NOTHING: Done = { last: undefined, holders: 0, errors: 0, sum: 0n };

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

/** Facts about a list that decide whether it can be relied on. */
class Report {
  readonly #context: Context;
  readonly #before: Done;
  #facts: HolderFacts | undefined;
  #totals: HolderTotals | undefined;

  constructor(context: Context, before: Done = NOTHING) {
    this.#context = context;
    this.#before = before;
  }

  hooks(): { onFacts: (facts: HolderFacts) => void; onTotals: (totals: HolderTotals) => void } {
    return {
      onFacts: (facts) => {
        this.#facts = facts;
      },
      onTotals: (totals) => {
        this.#totals = totals;
      },
    };
  }

  get symbol(): string {
    return this.#facts?.token_symbol ?? '';
  }

  end(): void {
    if (this.#facts === undefined || this.#totals === undefined) return;
    const { checked_at_block: block, token_decimals: decimals, index } = this.#facts;
    const { totalSupply } = this.#totals;
    const holders = this.#before.holders + this.#totals.holders;
    const errors = this.#before.errors + this.#totals.errors;
    const sum = this.#before.sum + this.#totals.sum;
    const amount = (value: bigint): string => `${formatUnits(value, decimals)} ${this.symbol}`.trimEnd();
    const tell = (line: string): void => note(this.#context, line);
    tell(`${holders} holders at block ${block}, ${amount(sum)} together`);
    if (errors > 0) tell(`the balances of ${errors} addresses could not be read`);
    if (totalSupply !== null && totalSupply !== sum) tell(`the total supply is ${amount(totalSupply)}`);
    if (!index.complete) tell(`holders from before block ${index.from_block} may be missing`);
  }
}

function lineOf(row: TokenHolder): string {
  return csvLine([row.holder, row.balance, row.format(), row.error?.message]);
}
