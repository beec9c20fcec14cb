/** `tokens …`: how far the token list is. */
import type { IndexSnapshot } from '@hindsight/tokens/service.ts';
import { Command } from 'commander';
import { refuseMissingFolder, type AdminConfig } from './config.ts';
import { onPlatform } from './on-platform.ts';
import { command, printFields, printJson, type Output } from './output.ts';

/** The group of commands. @param config read when a command runs, so that help needs no settings */
export function tokenCommands(config: () => AdminConfig): Command {
  const about = 'show the token list’s progress, its speed, and the time left';
  const status = command('status', about).action(async ({ json }: Output) => {
    const snapshots = await readAll(config());
    if (json) printJson({ indexes: snapshots });
    else if (snapshots.length === 0) printFields({ 'token list': 'nothing is indexed yet' });
    else for (const snapshot of snapshots) printFields(toFields(snapshot));
  });
  return new Command('tokens').description('the token list').addCommand(status);
}

type Stored = IndexSnapshot & { readonly store: string; readonly network: string };

/** The lists of all networks on MongoDB, or else those that the folder has. */
async function readAll(config: AdminConfig): Promise<Stored[]> {
  refuseMissingFolder(config);
  const { DATA_DIR: dataDir, MONGODB_URL: mongodbUrl } = config;
  // The service is loaded on demand, so that other commands start quickly.
  const { describeIndexState, readStoredIndexes } = await import('@hindsight/tokens/service.ts');
  return onPlatform(async ({ lifecycle }) => {
    const snapshots: Stored[] = [];
    for (const { list, ...stored } of await readStoredIndexes({ dataDir, mongodbUrl }, lifecycle)) {
      snapshots.push({ ...stored, ...(await describeIndexState(list)) });
    }
    return snapshots;
  });
}

function toFields(stored: Stored): Record<string, string | number> {
  const { store, network, progress, tokens, from, indexer, saidAt } = stored;
  return {
    network,
    'kept in': store,
    progress,
    tokens,
    'from block': from === null ? '–' : String(from),
    indexer: indexer ?? 'none right now',
    'last seen': saidAt ?? 'never',
  };
}
