import type { Command } from 'commander';
import { openClient, print, printJson, type Context } from '../context.ts';
import { parseWhen, shortDate } from '../when.ts';

/** `hindsight block 2023-08-26` */
export function blockCommand(program: Command, context: Context): void {
  program
    .command('block')
    .description('the block of a number, a hash or a date: the last one at or before it')
    .argument('[when]', 'a block number, a block hash or a date (default: the latest block)')
    .option('--json', 'the answer as JSON')
    .action(async (when: string | undefined, options: { json?: true }) => {
      const block = await openClient(context).block({ ...parseWhen(when), signal: context.signal });
      if (options.json) return printJson(context, block);
      const finality = block.finalized ? 'final' : 'not final yet';
      print(context, `${block.block_number}  ${block.block_hash}  ${shortDate(block.date)}  ${finality}`);
    });
}
