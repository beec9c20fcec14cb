import type { ListedToken } from '@hindsight/client';
import type { Command } from 'commander';
import { dim, note, openClient, print, printData, toJson, type Context } from '../context.ts';
import { csvLine } from '../csv.ts';
import { UsageError } from '../exit-codes.ts';
import { wholeNumber } from '../range.ts';

const DEFAULT_LIMIT = 20;

/** `hindsight token USD` */
export function tokenCommand(program: Command, context: Context): void {
  program
    .command('token')
    .description('find tokens by the beginning of a name, a symbol or a word in them, or by address')
    .argument('<search>', 'the beginning of a name, a symbol or a word, or an address')
    .option('--limit <n>', `at most this many (default: ${DEFAULT_LIMIT})`)
    .option('--csv', 'as CSV')
    .option('--json', 'one JSON object a line')
    .action(async (search: string, { limit, csv, json }: { limit?: string; csv?: true; json?: true }) => {
      const most = limit === undefined ? DEFAULT_LIMIT : wholeNumber('--limit', limit, 1);
      if (csv) printData(context, csvLine(['address', 'type', 'symbol', 'name', 'block']));
      let left = most;
      // One more than is printed tells, without another request, if there are more.
      const pageSize = limit === undefined ? most + 1 : Math.min(most, 100);
      for await (const token of openClient(context).tokens({ search, pageSize, signal: context.signal })) {
        if (left === 0) return note(context, `there are more than ${most}: see --limit`);
        if (json) printData(context, toJson(token));
        else if (csv) printData(context, csvOf(token));
        else print(context, lineOf(context, token));
        left -= 1;
        if (left === 0 && limit !== undefined) return;
      }
      if (left === most)
        throw new UsageError(
          `no token in the server's list has a name or symbol with a word that begins with ${search}`,
        );
    });
}

function lineOf(
  context: Context,
  { token_address: address, token_type: type, symbol, name }: ListedToken,
): string {
  return `${address}  ${symbol || '(no symbol)'}  ${name}  ${dim(context, type)}`;
}

function csvOf({ token_address, token_type, symbol, name, block_height }: ListedToken): string {
  return csvLine([token_address, token_type, symbol, name, block_height]);
}
