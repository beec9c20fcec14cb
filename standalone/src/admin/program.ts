/** The administration as a function of its settings and words. */
import { ConfigError, type Environment } from '@hindsight/kernel/config.ts';
import { Command, CommanderError } from 'commander';
import { accountCommands } from './account-commands.ts';
import { backupCommands } from './backup-commands.ts';
import { readConfig } from './config.ts';
import { deadLetterCommands } from './dead-letter-commands.ts';
import { indexCommands } from './index-commands.ts';
import { projectCommands } from './project-commands.ts';
import { secretCommands } from './secret-commands.ts';
import { tokenCommands } from './token-commands.ts';
import { usageCommands } from './usage-commands.ts';

/** Runs a command. @returns the exit code: 0, 1 when the command was faulty or failed, 2 for a faulty configuration */
export async function runCommand(env: Environment, words: readonly string[]): Promise<number> {
  const config = () => readConfig(env);
  const program = new Command('admin')
    .description('Manage Hindsight (uses the database set in the environment)')
    .addCommand(accountCommands(config))
    .addCommand(backupCommands(config))
    .addCommand(deadLetterCommands(config))
    .addCommand(indexCommands(config))
    .addCommand(projectCommands(config))
    .addCommand(secretCommands(config))
    .addCommand(tokenCommands(config))
    .addCommand(usageCommands(config));
  setUp(program);
  try {
    await program.parseAsync(words, { from: 'user' });
    return 0;
  } catch (error) {
    // Its message is printed already.
    if (error instanceof CommanderError) return error.exitCode;
    const faulty = error instanceof ConfigError;
    const message = error instanceof Error ? error.message : String(error);
    process.stderr.write(faulty ? `${message}\n` : `error: ${message}\n`);
    return faulty ? 2 : 1;
  }
}

/** By default it is the parser that ends the process; a command that is added inherits nothing. */
function setUp(command: Command): void {
  command.exitOverride().showHelpAfterError('(see --help)');
  for (const each of command.commands) setUp(each);
}
