import { Option, type Command } from 'commander';
import { dim, openClient, print, printJson, type Context } from '../context.ts';
import { resolveToken } from '../token.ts';
import { blockWords, parseWhen, shortDate } from '../when.ts';

interface Options {
  readonly at?: string;
  readonly json?: true;
  readonly proof?: 'storage' | 'shares';
}

/** `hindsight balance USDC treasury.eth --at 2023-08-26` */
export function balanceCommand(program: Command, context: Context): void {
  program
    .command('balance')
    .description('what a wallet held, at any block or date')
    .argument('<token>', 'an address, a symbol that is unique, or native')
    .argument('<holder>', 'an address or an ENS name')
    .option('--at <when>', 'a block number, a block hash or a date (default: the latest block)')
    .option('--json', 'the answer as JSON')
    .addOption(
      new Option(
        '--proof <kind>',
        'the answer as JSON with a proof, for `hindsight verify`: of the balance (storage), or of the shares from which the token computes it',
      ).choices(['storage', 'shares']),
    )
    .action(async (token: string, holder: string, options: Options) => {
      const { proof } = options;
      const when = parseWhen(options.at);
      const client = openClient(context);
      const { signal } = context;
      const address = await resolveToken(client, token, signal);
      const answer = await client.balance.at({ token: address, holder, proof, ...when, signal });
      if (options.json || proof) return printJson(context, answer);
      const unit =
        'token_symbol' in answer
          ? answer.token_symbol || answer.token_address
          : (await client.nativeCoin(signal)).symbol;
      const pin = blockWords(answer, shortDate(answer.checked_at_date));
      print(context, `${answer.format()} ${unit}  ${dim(context, pin)}`);
    });
}
