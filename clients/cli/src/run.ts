import { Command, CommanderError } from 'commander';
import { allowancesCommand } from './commands/allowances.ts';
import { balanceCommand } from './commands/balance.ts';
import { changesCommand } from './commands/changes.ts';
import { completionCommand } from './commands/completion.ts';
import { holdersCommand } from './commands/holders.ts';
import { loginCommand } from './commands/login.ts';
import { mcpCommand } from './commands/mcp.ts';
import { ordersCommand } from './commands/orders.ts';
import { codeCommand } from './commands/code.ts';
import { portfolioCommand } from './commands/portfolio.ts';
import { seriesCommand } from './commands/series.ts';
import { snapshotCommand } from './commands/snapshot.ts';
import { usageCommand } from './commands/usage.ts';
import { note, type Context } from './context.ts';
import { EXIT, exitCodeOf } from './exit-codes.ts';

const COMMANDS = [
  balanceCommand,
  snapshotCommand,
  seriesCommand,
  changesCommand,
  portfolioCommand,
  holdersCommand,
  codeCommand,
  allowancesCommand,
  ordersCommand,
  usageCommand,
  loginCommand,
  mcpCommand,
  completionCommand,
];

/** Runs a command line. Resolves to the exit code; never throws. */
export async function run(args: readonly string[], context: Context): Promise<number> {
  const program = new Command('hindsight')
    .description("Ethereum's past from the command line")
    .helpOption('-h, --help', 'show help')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => context.stdout.write(text),
      writeErr: (text) => context.stderr.write(text),
    });
  for (const add of COMMANDS) add(program, context);
  try {
    await program.parseAsync(args, { from: 'user' });
    return EXIT.ok;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
    if (context.signal.aborted) return EXIT.interrupted;
    note(context, `hindsight: ${error instanceof Error ? error.message : String(error)}`);
    return exitCodeOf(error);
  }
}
