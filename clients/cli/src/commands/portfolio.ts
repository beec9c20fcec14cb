import type { Portfolio } from '@hindsight/client';
import type { Command } from 'commander';
import { dim, openClient, print, printData, printJson, type Context } from '../context.ts';
import { csvLine } from '../csv.ts';
import { holdingsAsked, noteUnread, sourceOf } from '../scope.ts';
import { walk } from '../walk.ts';
import { blockWords, parseWhen } from '../when.ts';

/** `hindsight portfolio treasury.eth --at 2023-12-31` */
export function portfolioCommand(program: Command, context: Context): void {
  program
    .command('portfolio')
    .description('the native coin and every token that a wallet held')
    .argument('<holder>', 'an address or an ENS name')
    .option('--at <when>', 'a block number, a block hash or a date (default: the latest block)')
    .option('--csv', 'as CSV, with the block in each line')
    .option('--json', 'the answer as JSON')
    .action(async (holder: string, options: { at?: string; csv?: true; json?: true }) => {
      const { signal } = context;
      const client = openClient(context);
      const asked = { holder, ...parseWhen(options.at), signal };
      const pages = await walk((cursor) => client.portfolio({ ...asked, cursor }));
      const tokens = pages.all.flatMap((page) => page.tokens);
      const answer = { ...pages.last, tokens, asked: holdingsAsked(pages.all) };
      noteUnread(context, answer.asked.unread);
      if (options.json) return printJson(context, answer);
      const coin = (await client.nativeCoin(signal)).symbol;
      if (options.csv) return printCsv(context, answer, coin);
      print(context, `${answer.native.format()} ${coin}`);
      for (const token of answer.tokens) {
        const id = token.token_id === undefined ? '' : ` #${token.token_id}`;
        const symbol = token.token_symbol || '(no symbol)';
        print(context, `${token.format()} ${symbol}${id}  ${dim(context, token.token_address)}`);
      }
      print(context, dim(context, `${blockWords(answer)}; ${sourceOf(answer.asked)}`));
    });
}

function printCsv(context: Context, answer: Portfolio, coin: string): void {
  const { native, tokens, asked, checked_at_block: block, block_hash: hash } = answer;
  const amounts = ['token', 'symbol', 'token_id', 'balance', 'amount'];
  const { complete } = asked;
  printData(context, csvLine([...amounts, 'block', 'block_hash', 'unread', 'complete']));
  const coinCells = ['native', coin, '', native.balance, native.format()];
  printData(context, csvLine([...coinCells, block, hash, '', complete]));
  for (const token of tokens) {
    const { token_address: address, token_symbol: symbol, token_id: id, balance } = token;
    printData(context, csvLine([address, symbol, id, balance, token.format(), block, hash, '', complete]));
  }
  // A contract that gave no answer is a row as well: it may have been held.
  for (const [address, reason] of Object.entries(asked.unread_reasons))
    printData(context, csvLine([address, '', '', '', '', block, hash, reason, complete]));
}
