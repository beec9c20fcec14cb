import type { Command } from 'commander';
import { dim, openClient, print, printJson, type Context } from '../context.ts';
import { blockWords, parseWhen } from '../when.ts';

/** `hindsight code 0xA0b8… --at 18000000` */
export function codeCommand(program: Command, context: Context): void {
  program
    .command('code')
    .description('size and hash of the code at an address')
    .argument('<address>', 'an address or an ENS name')
    .option('--at <when>', 'a block number, a block hash or a date (default: the latest block)')
    .option('--json', 'the answer as JSON')
    .action(async (address: string, options: { at?: string; json?: true }) => {
      const { signal } = context;
      const answer = await openClient(context).code({ address, ...parseWhen(options.at), signal });
      if (options.json) return printJson(context, answer);
      print(
        context,
        answer.code_hash === null ? 'no code' : `${answer.code_size} bytes  ${answer.code_hash}`,
      );
      print(context, dim(context, blockWords(answer)));
    });
}
