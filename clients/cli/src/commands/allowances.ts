import type { AllowanceList, OpenAllowance } from '@hindsight/client';
import type { Command } from 'commander';
import { dim, openClient, print, printData, printJson, type Context } from '../context.ts';
import { csvLine } from '../csv.ts';
import { allowancesAsked, noteUnread, sourceOf } from '../scope.ts';
import { walk } from '../walk.ts';
import { blockWords, parseWhen } from '../when.ts';

/** `hindsight allowances treasury.eth --at 2023-12-31` */
export function allowancesCommand(program: Command, context: Context): void {
  program
    .command('allowances')
    .description('what spenders could take from a wallet')
    .argument('<owner>', 'an address or an ENS name')
    .option('--at <when>', 'a block number, a block hash or a date (default: the latest block)')
    .option('--csv', 'as CSV, with the block in each line')
    .option('--json', 'the answer as JSON')
    .action(async (owner: string, options: { at?: string; csv?: true; json?: true }) => {
      const { signal } = context;
      const client = openClient(context);
      const asked = { owner, ...parseWhen(options.at), signal };
      const pages = await walk((cursor) => client.allowances({ ...asked, cursor }));
      const allowances = pages.all.flatMap((page) => page.allowances);
      const answer = { ...pages.last, allowances, asked: allowancesAsked(pages.all) };
      noteUnread(
        context,
        answer.asked.unread.map(({ token_address }) => token_address),
      );
      if (options.json) return printJson(context, answer);
      if (options.csv) return printCsv(context, answer);
      for (const one of answer.allowances)
        print(
          context,
          `${one.spender}  ${one.format()} ${one.token_symbol || one.token_address}${viaOf(one)}`,
        );
      const isWhole = answer.asked.complete && answer.asked.unread.length === 0;
      if (answer.allowances.length === 0)
        print(context, isWhole ? 'nothing is open' : 'nothing open was found');
      print(context, dim(context, `${blockWords(answer)}; ${sourceOf(answer.asked)}`));
    });
}

function printCsv(
  context: Context,
  { allowances, asked, checked_at_block: block, block_hash: hash }: AllowanceList,
): void {
  const { complete } = asked;
  const more = ['block', 'block_hash', 'via', 'expiration', 'expired', 'unread', 'complete'];
  printData(context, csvLine(['token', 'symbol', 'spender', 'allowance', 'amount', ...more]));
  for (const one of allowances) {
    const { token_address: address, token_symbol: symbol, spender, allowance } = one;
    const rest = [one.via, one.expiration, one.expired, '', complete];
    printData(context, csvLine([address, symbol, spender, allowance, one.format(), block, hash, ...rest]));
  }
  // A pair that gave no answer is a row as well: it may be open.
  for (const { token_address: address, spender, reason } of asked.unread)
    printData(context, csvLine([address, '', spender, '', '', block, hash, '', '', '', reason, complete]));
}

/** Words for an allowance that Permit2 keeps. */
function viaOf({ via, expired }: OpenAllowance): string {
  if (via === 'token') return '';
  return expired ? ' (Permit2, expired)' : ' (Permit2)';
}
