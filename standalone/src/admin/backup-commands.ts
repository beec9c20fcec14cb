/** `backup …`: copies and restores the embedded data, and repairs a restored store. */
import { systemClock } from '@hindsight/kernel/clock.ts';
import { ConfigError } from '@hindsight/kernel/config.ts';
import type { StorePlace } from '@hindsight/stores/place.ts';
import { openUsage } from '@hindsight/usage/open.ts';
import { openMonths } from '@hindsight/usage/reconcile.ts';
import { Command } from 'commander';
import { notEmpty } from '../arguments.ts';
import type { AdminConfig } from './config.ts';
import type { BackupList } from './data-backup.ts';
import { markFinished } from '../restore-mark.ts';
import { onPlatform } from './on-platform.ts';
import { command, print, type Output } from './output.ts';

const folder = notEmpty('a folder');

/** The group of commands. @param config read when a command runs, so that help needs no settings */
export function backupCommands(config: () => AdminConfig): Command {
  const create = command('create', 'copy DATA_DIR into a new folder; Hindsight may keep running')
    .argument('<folder>', 'the target: created if missing, otherwise it must be empty', folder)
    .action(async (target: string, options: Output) => {
      const { createBackup } = await import('./data-backup.ts');
      const list = await createBackup(embedded(config()), target, new Date(systemClock.now()));
      show({ folder: target, ...summaryOf(list) }, options);
    });
  const restore = command('restore', 'restore DATA_DIR from a copy; it must be empty and not in use')
    .argument('<folder>', 'the copy', folder)
    .action(async (copy: string, options: Output) => {
      const dataDir = embedded(config());
      const { restoreBackup } = await import('./data-backup.ts');
      const list = await restoreBackup(copy, dataDir);
      const finished = await finish({ dataDir });
      markFinished(dataDir);
      show({ folder: dataDir, ...summaryOf(list), ...finished }, options);
    });
  const finishing = command(
    'finish',
    'run this after MongoDB was restored from a backup, before gateways, orders and portal start',
  ).action(async (options: Output) => {
    const { DATA_DIR: dataDir, MONGODB_URL: mongodbUrl } = config();
    if (mongodbUrl === undefined)
      throw new ConfigError(['MONGODB_URL is not set: `backup restore` has done this for an embedded store']);
    show(await finish({ dataDir, mongodbUrl }), options);
  });
  return new Command('backup')
    .description('back up the data, and restore it')
    .addCommand(create)
    .addCommand(restore)
    .addCommand(finishing);
}

function embedded({ DATA_DIR, MONGODB_URL }: AdminConfig): string {
  if (MONGODB_URL === undefined) return DATA_DIR;
  throw new ConfigError(['MONGODB_URL is set: MongoDB has tools of its own, see docs/operations/recover.md']);
}

function summaryOf({ at, files }: BackupList): Record<string, string | number> {
  return { at, files: files.length, bytes: files.reduce((sum, { bytes }) => sum + bytes, 0) };
}

/** Events after the backup are lost here, but others may have seen them. */
async function finish(place: StorePlace): Promise<Record<string, string | number>> {
  // Whole services: loaded on demand, so that other commands start quickly.
  const { skipSequences } = await import('@hindsight/orders/service.ts');
  const { signOutAll } = await import('@hindsight/portal/service.ts');
  return onPlatform(async ({ clock, ids, lifecycle }) => {
    const skipped = await skipSequences(place, { clock, ids, lifecycle });
    await signOutAll(place, lifecycle);
    const { usage } = await openUsage(place, lifecycle);
    let covered = 0;
    for (const month of openMonths(clock.now())) covered += await usage.coverOverdrawn(month);
    return { 'order sequences left out': skipped, 'units leased again': covered, sessions: 'ended' };
  });
}

function show(fields: Readonly<Record<string, string | number>>, options: Output): void {
  print(options, fields, fields);
}
