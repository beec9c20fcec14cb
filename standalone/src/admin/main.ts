/**
 * `npm run admin -- …`: administration on whatever store the environment names. Exit codes: 0, 1 when the command was
 * faulty or failed, 2 for a faulty configuration.
 */
import { ConfigError } from '@hindsight/kernel/config.ts';
import { Command } from 'commander';
import { backupCommands } from './backup-commands.ts';
import { readConfig } from './config.ts';
import { deadLetterCommands } from './dead-letter-commands.ts';
import { projectCommands } from './project-commands.ts';
import { secretCommands } from './secret-commands.ts';
import { tokenCommands } from './token-commands.ts';
import { usageCommands } from './usage-commands.ts';

const program = new Command('admin')
  .description('Administers Hindsight, on the store that the environment names')
  .showHelpAfterError('(see --help)')
  .addCommand(backupCommands(() => readConfig(process.env)))
  .addCommand(deadLetterCommands(() => readConfig(process.env)))
  .addCommand(projectCommands(() => readConfig(process.env)))
  .addCommand(secretCommands(() => readConfig(process.env)))
  .addCommand(tokenCommands(() => readConfig(process.env)))
  .addCommand(usageCommands(() => readConfig(process.env)));

try {
  await program.parseAsync();
} catch (error) {
  const faulty = error instanceof ConfigError;
  const message = error instanceof Error ? error.message : String(error);
  process.stderr.write(faulty ? `${message}\n` : `error: ${message}\n`);
  process.exitCode = faulty ? 2 : 1;
}
