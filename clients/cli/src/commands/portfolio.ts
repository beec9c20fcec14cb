import type { Command } from 'commander';
import { dim, openClient, print, printJson, type Context } from '../context.ts';
import { parseWhen } from '../when.ts';

/** `hindsight portfolio treasury.eth --at 2023-12-31` */
export function portfolioCommand(program: Command, context: Context): void {
  program
    .command('portfolio')
    .description('ether and every token that a wallet held')
    .argument('<holder>', 'an address or an ENS name')
    .option('--at <when>', 'a block number, a block hash or a date (default: the latest block)')
    .option('--json', 'the answer as JSON')
    .action(async (holder: string, options: { at?: string; json?: true }) => {
      const { signal } = context;
      const answer = await openClient(context).portfolio({ holder, ...parseWhen(options.at), signal });
      if (options.json) return printJson(context, answer);
      print(context, `${answer.native.format()} ETH`);
      for (const token of answer.tokens) {
        const id = token.token_id === undefined ? '' : ` #${token.token_id}`;
        const symbol = token.token_symbol || '(no symbol)';
        print(context, `${token.format()} ${symbol}${id}  ${dim(context, token.token_address)}`);
      }
      print(context, dim(context, `block ${answer.checked_at_block}; ${sourceOf(answer.asked)}`));
    });
}

/** A note on the candidates that an answer covers. */
export function sourceOf(asked: { readonly from_block: number; readonly complete: boolean }): string {
  const since = `logs since block ${asked.from_block}`;
  return asked.complete ? since : `${since} only: the node has no older ones`;
}
