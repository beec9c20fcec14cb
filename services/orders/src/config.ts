import { kafkaSettings } from '@hindsight/bus/settings.ts';
import type { Config, Environment } from '@hindsight/kernel/config.ts';
import { loadServing, NETWORK_SETTINGS } from '@hindsight/chain/network-settings.ts';
import { CHAIN_SETTINGS } from '@hindsight/chain/settings.ts';
import { dataDir, mongodbUrl, serviceSettings } from '@hindsight/kernel/service-settings.ts';
import { ORDER_SETTINGS } from './settings.ts';

/** As declared. @public docs/operations/settings.md is made from it. */
export const SETTINGS = {
  ...serviceSettings(8083),
  ...ORDER_SETTINGS,
  DATA_DIR: dataDir('the folder of the embedded database, where there is no MongoDB'),
  ...NETWORK_SETTINGS,
  ETH_RPC_TIMEOUT_MS: CHAIN_SETTINGS.ETH_RPC_TIMEOUT_MS,
  MONGODB_URL: mongodbUrl('where orders are kept; the embedded database if not set'),
  ...kafkaSettings('where events are published; the embedded database if not set'),
};

/** Reads this service's settings. @throws {ConfigError} */
export function readConfig(env: Environment): Config<typeof SETTINGS> {
  return loadServing(SETTINGS, env);
}
