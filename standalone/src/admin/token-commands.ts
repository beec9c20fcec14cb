/** `tokens …`: how far the token list is. */
import { createLifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { describeIndexState, openTokenIndex, type IndexSnapshot } from '@hindsight/tokens/service.ts';
import { Command } from 'commander';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DEVCHAIN_INDEX, MAINNET_INDEX } from '../tokens.ts';
import type { AdminConfig } from './config.ts';
import { printFields, printJson } from './output.ts';

/** The group of commands. @param config read when a command runs, so that help needs no settings */
export function tokenCommands(config: () => AdminConfig): Command {
  const status = new Command('status')
    .description('show the token list’s progress, its speed, and the time left')
    .option('--json', 'print JSON')
    .action(async ({ json }: { readonly json?: true }) => {
      const snapshots = await readAll(config());
      if (json) printJson({ indexes: snapshots });
      else if (snapshots.length === 0) printFields({ 'token list': 'nothing is indexed yet' });
      else for (const snapshot of snapshots) printFields(toFields(snapshot));
    });
  return new Command('tokens').description('the token list').addCommand(status);
}

type Stored = IndexSnapshot & { readonly store: string };

/** The index on MongoDB, or else those that the folder has. */
async function readAll({ DATA_DIR: dataDir, MONGODB_URL: mongodbUrl }: AdminConfig): Promise<Stored[]> {
  const lifecycle = createLifecycle(createLogger({ name: 'admin', level: 'silent' }));
  const files = [MAINNET_INDEX, DEVCHAIN_INDEX].filter((file) => existsSync(join(dataDir, file)));
  const places = mongodbUrl === undefined ? files : ['MongoDB'];
  try {
    const snapshots: Stored[] = [];
    for (const store of places) {
      const index = await openTokenIndex({ dataDir, file: store, mongodbUrl }, lifecycle);
      snapshots.push({ store, ...(await describeIndexState(index)) });
    }
    return snapshots;
  } finally {
    await lifecycle.shutdown('the command is done');
  }
}

function toFields({ store, progress, tokens, from, indexer, saidAt }: Stored): Record<string, string> {
  return {
    'kept in': store,
    progress,
    tokens: tokens.toLocaleString('en'),
    'from block': from === null ? '–' : String(from),
    indexer: indexer ?? 'none right now',
    'last seen': saidAt ?? 'never',
  };
}
