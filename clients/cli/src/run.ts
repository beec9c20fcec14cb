import { Command, CommanderError } from 'commander';
import { ApiError, ConnectionError } from '@hindsight/client';
import { allowancesCommand } from './commands/allowances.ts';
import { balanceCommand } from './commands/balance.ts';
import { blockCommand } from './commands/block.ts';
import { callCommand } from './commands/call.ts';
import { changesCommand } from './commands/changes.ts';
import { completionCommand } from './commands/completion.ts';
import { holdersCommand } from './commands/holders.ts';
import { loginCommand } from './commands/login.ts';
import { mcpCommand } from './commands/mcp.ts';
import { ordersCommand } from './commands/orders.ts';
import { codeCommand } from './commands/code.ts';
import { portfolioCommand } from './commands/portfolio.ts';
import { reconcileCommand } from './commands/reconcile.ts';
import { scoresCommand } from './commands/scores.ts';
import { seriesCommand } from './commands/series.ts';
import { snapshotCommand } from './commands/snapshot.ts';
import { statementCommand } from './commands/statement.ts';
import { supplyCommand } from './commands/supply.ts';
import { tokenCommand } from './commands/token.ts';
import { usageCommand } from './commands/usage.ts';
import { valueCommand } from './commands/value.ts';
import { verifyCommand } from './commands/verify.ts';
import { access, note, type Context } from './context.ts';
import { EXIT, exitCodeOf, UsageError } from './exit-codes.ts';

const COMMANDS = [
  balanceCommand,
  snapshotCommand,
  seriesCommand,
  changesCommand,
  statementCommand,
  reconcileCommand,
  scoresCommand,
  portfolioCommand,
  holdersCommand,
  supplyCommand,
  valueCommand,
  tokenCommand,
  callCommand,
  blockCommand,
  codeCommand,
  allowancesCommand,
  verifyCommand,
  ordersCommand,
  usageCommand,
  loginCommand,
  mcpCommand,
  completionCommand,
];

/** Commands that ask about no network. */
const WITHOUT_NETWORK = ['usage', 'login', 'verify', 'completion'];

/** Options that several commands have. */
interface Options {
  readonly network?: string;
  readonly url?: string;
  readonly csv?: true;
  readonly json?: true;
  readonly output?: string;
  readonly resume?: true;
}

/** As in package.json, which a test compares. */
const VERSION = '0.2.0';

const HELP = `
Settings, from the environment or from hindsight login:
  HINDSIGHT_URL       where the API is (default: http://127.0.0.1:8080)
  HINDSIGHT_API_KEY   your API key (the Project ID on the dashboard)
  HINDSIGHT_NETWORK   the network that is asked about (default: eth-mainnet), as --network

Examples:
  hindsight balance USDC treasury.eth --at 2023-08-26T16:21:40Z
  hindsight snapshot --token USDC --at 18000000 holders.csv -o balances.csv
  hindsight portfolio alice.eth --at 18000000 --csv`;

/** Runs a command line. Resolves to the exit code; never throws. */
export async function run(args: readonly string[], context: Context): Promise<number> {
  const program = new Command('hindsight')
    .description("Ethereum's past from the command line")
    .helpOption('-h, --help', 'show help')
    .version(VERSION, '-V, --version', 'show the version')
    .addHelpText('after', HELP)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => context.stdout.write(text),
      writeErr: (text) => context.stderr.write(text),
    });
  const own = { ...context };
  for (const add of COMMANDS) add(program, own);
  for (const command of program.commands.filter((one) => !WITHOUT_NETWORK.includes(one.name())))
    command.option('--network <name>', 'the network (default: eth-mainnet)');
  program.hook('preAction', (_program, action) => {
    // The subcommands of `orders` take its options as well.
    const { network, url, ...form } = action.optsWithGlobals<Options>();
    own.network = network;
    own.url = url;
    if (form.csv && form.json) throw new UsageError('--csv and --json exclude each other');
    if (form.resume && form.output === undefined)
      throw new UsageError('--resume continues the file of --output');
  });
  try {
    await program.parseAsync(args, { from: 'user' });
    return EXIT.ok;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
    if (context.signal.aborted) return EXIT.interrupted;
    note(context, `hindsight: ${wordsOf(error, own)}`);
    return exitCodeOf(error);
  }
}

function wordsOf(error: unknown, context: Context): string {
  // One without a cause is of an answer that had begun, and was cut.
  if (error instanceof ConnectionError && error.cause !== undefined)
    return `can't reach ${access(context).url}. Is Hindsight running? Set HINDSIGHT_URL.`;
  if (error instanceof ApiError && error.code === 'name_moved')
    return error.message.replace('resolve=each', '--each (resolve=each)');
  return error instanceof Error ? error.message : String(error);
}
