import type { Command } from 'commander';
import { dim, openClient, print, printJson, type Context } from '../context.ts';
import { resolveToken } from '../token.ts';
import { blockWords, parseWhen } from '../when.ts';

/** `hindsight supply USDC --at 2023-08-26` */
export function supplyCommand(program: Command, context: Context): void {
  program
    .command('supply')
    .description('how much of a token there was')
    .argument('<token>', 'an address, or a symbol that is unique')
    .option('--at <when>', 'a block number, a block hash or a date (default: the latest block)')
    .option('--json', 'the answer as JSON')
    .action(async (text: string, options: { at?: string; json?: true }) => {
      const client = openClient(context);
      const { signal } = context;
      const token = await resolveToken(client, text, signal);
      const answer = await client.supply({ token, ...parseWhen(options.at), signal });
      if (options.json) return printJson(context, answer);
      const symbol = answer.token_symbol || answer.token_address;
      print(context, `${answer.format()} ${symbol}  ${dim(context, blockWords(answer))}`);
    });
}
