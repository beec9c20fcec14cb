import type { ValueRead, ValueReads } from '@hindsight/client';
import type { Command } from 'commander';
import { dim, openClient, print, printData, printJson, type Context } from '../context.ts';
import { csvLine } from '../csv.ts';
import { resolveToken } from '../token.ts';
import { blockWords, parseWhen } from '../when.ts';

/** `hindsight value native --at 2023-08-26` */
export function valueCommand(program: Command, context: Context): void {
  program
    .command('value')
    .description('what contracts said a token was worth, each with its call')
    .argument('<token>', 'an address, a symbol that is unique, or native')
    .option('--at <when>', 'a block number, a block hash or a date (default: the latest block)')
    .option('--csv', 'as CSV, with the block in each line')
    .option('--json', 'the answer as JSON')
    .action(async (text: string, options: { at?: string; csv?: true; json?: true }) => {
      const client = openClient(context);
      const { signal } = context;
      const token = await resolveToken(client, text, signal);
      const answer = await client.value.reads({ token, ...parseWhen(options.at), signal });
      if (options.json) return printJson(context, answer);
      if (options.csv) return printCsv(context, answer);
      for (const read of answer.reads) print(context, lineOf(context, read));
      if (answer.reads.length === 0) print(context, "no vault, and no row in the operator's table");
      print(context, dim(context, blockWords(answer)));
    });
}

function lineOf(context: Context, read: ValueRead): string {
  const { name, kind, answer, quote, reason, call, contract } = read;
  const unit = kind === 'uniswap-v3-twap' ? 'mean tick' : quote;
  const amount = read.format();
  const told = amount === '' ? [String(answer), unit, '(decimals not known)'] : [amount, unit];
  const said = [...(answer === null ? [] : told), reason && `(${reason})`];
  return `${name}  ${said.filter(Boolean).join(' ')}  ${dim(context, `${call} of ${contract}`)}`;
}

function printCsv(context: Context, { reads, checked_at_block: block, block_hash: hash }: ValueReads): void {
  const names = ['name', 'kind', 'contract', 'call', 'answer', 'amount', 'quote', 'reason', 'source'];
  printData(context, csvLine([...names, 'block', 'block_hash']));
  for (const read of reads) {
    const { name, kind, contract, call, answer, quote, reason, source } = read;
    const said = [answer, read.format(), quote, reason, source];
    printData(context, csvLine([name, kind, contract, call, ...said, block, hash]));
  }
}
