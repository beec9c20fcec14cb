import type { Command } from 'commander';
import { dim, openClient, print, printJson, type Context } from '../context.ts';
import { UsageError } from '../exit-codes.ts';
import { parseWhen } from '../when.ts';

/** `hindsight call 0x83F2… 'convertToAssets(uint256) returns (uint256)' 1000000000000000000 --at 2023-08-26` */
export function callCommand(program: Command, context: Context): void {
  program
    .command('call')
    .description('call a view of a contract at a block')
    .argument('<contract>', 'an address or an ENS name')
    .argument('<function>', "a signature with what it returns: 'decimals() returns (uint8)'")
    .argument('[arguments...]', 'its arguments; lists and structs as JSON')
    .option('--at <when>', 'a block number, a block hash or a date (default: the latest block)')
    .option('--json', 'the answer as JSON')
    .action(async (target: string, view: string, words: string[], options: { at?: string; json?: true }) => {
      const answer = await openClient(context).call({
        target,
        function: view,
        args: [words.map(valueOf)],
        ...parseWhen(options.at),
        signal: context.signal,
      });
      if (options.json) return printJson(context, answer);
      const [row] = answer.results;
      if (row === undefined || !('values' in row) || row.values === undefined)
        throw new Error(row !== undefined && 'message' in row ? String(row.message) : 'no answer');
      for (const value of row.values)
        print(context, typeof value === 'string' ? value : JSON.stringify(value));
      print(context, dim(context, `block ${answer.checked_at_block}`));
    });
}

/** Numbers stay text, which is exact; lists and structs are JSON. */
function valueOf(word: string): unknown {
  if (!/^[[{]/.test(word)) return word === 'true' ? true : word === 'false' ? false : word;
  try {
    return JSON.parse(word) as unknown;
  } catch {
    throw new UsageError(`${word}: not valid JSON`);
  }
}
