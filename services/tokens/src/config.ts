import type { Config, Environment } from '@hindsight/kernel/config.ts';
import { loadServing, NETWORK_SETTINGS } from '@hindsight/chain/network-settings.ts';
import { CHAIN_SETTINGS } from '@hindsight/chain/settings.ts';
import { dataDir, mongodbUrl, serviceSettings } from '@hindsight/kernel/service-settings.ts';
import { TOKEN_SETTINGS } from './settings.ts';

/** As declared. @public docs/operations/settings.md is made from it. */
export const SETTINGS = {
  ...serviceSettings(8082),
  ...TOKEN_SETTINGS,
  DATA_DIR: dataDir('the folder of the embedded database'),
  MONGODB_URL: mongodbUrl('where the list is kept; the embedded database if not set'),
  ...NETWORK_SETTINGS,
  ETH_RPC_TIMEOUT_MS: CHAIN_SETTINGS.ETH_RPC_TIMEOUT_MS,
};

/** Reads this service's settings. @throws {ConfigError} */
export function readConfig(env: Environment): Config<typeof SETTINGS> {
  return loadServing(SETTINGS, env);
}
