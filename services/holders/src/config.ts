import { requiredUrl, type Config, type Environment } from '@hindsight/kernel/config.ts';
import { loadServing, NETWORK_SETTINGS } from '@hindsight/chain/network-settings.ts';
import { CHAIN_SETTINGS } from '@hindsight/chain/settings.ts';
import { CLICKHOUSE_URL, dataDir, serviceSettings } from '@hindsight/kernel/service-settings.ts';
import { HOLDER_SETTINGS } from './settings.ts';

const { ETH_RPC_TIMEOUT_MS, REQUEST_TIMEOUT_MS } = CHAIN_SETTINGS;

/** As declared. @public docs/operations/settings.md is made from it. */
export const SETTINGS = {
  ...serviceSettings(8086),
  ...HOLDER_SETTINGS,
  CLICKHOUSE_URL,
  DATA_DIR: dataDir('the folder of the embedded database'),
  BALANCE_URL: requiredUrl('where the balance service listens', ['http:']),
  ...NETWORK_SETTINGS,
  ETH_RPC_TIMEOUT_MS,
  REQUEST_TIMEOUT_MS,
};

/** Reads this service's settings. @throws {ConfigError} */
export function readConfig(env: Environment): Config<typeof SETTINGS> {
  return loadServing(SETTINGS, env);
}
