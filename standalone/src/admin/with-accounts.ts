import type { AccountAdmin } from '@hindsight/portal/service.ts';
import { refuseMissingFolder, type AdminConfig } from './config.ts';
import { onPlatform } from './on-platform.ts';

export async function withAccounts<T>(
  config: AdminConfig,
  work: (admin: AccountAdmin) => Promise<T>,
): Promise<T> {
  refuseMissingFolder(config);
  const { DATA_DIR: dataDir, MONGODB_URL: mongodbUrl } = config;
  // The portal's stores are loaded on demand, so that other commands start quickly.
  const { openAccountAdmin } = await import('@hindsight/portal/service.ts');
  return onPlatform(async (platform) => work(await openAccountAdmin({ dataDir, mongodbUrl }, platform)));
}
