/** `index …`: which tokens have their holders indexed, and how far that is. */
import { Command, InvalidArgumentError } from 'commander';
import type { AdminConfig } from './config.ts';
import type { IndexOptions } from './index-work.ts';
import { command, type Output } from './output.ts';

/** The group of commands. @param config read when a command runs, so that help needs no settings */
export function indexCommands(config: () => AdminConfig): Command {
  return new Command('index')
    .description('the index of holders: its tokens and its progress')
    .addCommand(
      withFirst(
        ofTrack(
          config,
          'estimate',
          'estimate the logs, bytes and minutes of an index, from samples of the chain',
        ),
      ),
    )
    .addCommand(
      withFirst(ofTrack(config, 'add', 'have a token indexed by the running service, or as soon as it runs')),
    )
    .addCommand(ofTrack(config, 'remove', 'remove a token that was added, and give its space back'))
    .addCommand(
      command('status', 'show what is indexed, its progress, and what is missing').action(
        async ({ json }: Output) => (await import('./index-work.ts')).status(config(), json),
      ),
    );
}

function ofTrack(config: () => AdminConfig, name: 'estimate' | 'add' | 'remove', about: string): Command {
  return command(name, about)
    .argument('<token>', 'the address of a token, or all')
    .option('--network <name>', 'the network, as in paths', 'eth-mainnet')
    .action(async (text: string, options: IndexOptions) => {
      // The service of the index is loaded on demand, so that other commands start quickly.
      const work = await import('./index-work.ts');
      await work[name](config(), work.readTrack(text), options);
    });
}

function withFirst(target: Command): Command {
  return target.option(
    '--from <block>',
    'the first block (default: that of the contract, found at the network’s nodes; 0 of all)',
    readBlock,
  );
}

function readBlock(text: string): number {
  if (/^\d{1,12}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('expected a block number');
}
