import { kafkaSettings } from '@hindsight/bus/settings.ts';
import { NETWORK_NODES } from '@hindsight/chain/network-settings.ts';
import { optionalNodeUrls } from '@hindsight/chain/settings.ts';
import {
  ConfigError,
  load,
  optionalSiteUrl,
  type Config,
  type Environment,
} from '@hindsight/kernel/config.ts';
import { OPTIONAL_PROJECT_SETTINGS } from '@hindsight/projects/settings.ts';
import { CLICKHOUSE_URL, dataDir, mongodbUrl, redisUrl } from '@hindsight/kernel/service-settings.ts';
import { existsSync } from 'node:fs';
import { refuseUnfinished } from '../restore-mark.ts';

/** As declared. @public docs/operations/settings.md is made from it. */
export const SETTINGS = {
  DATA_DIR: dataDir('the folder of the embedded database'),
  MONGODB_URL: mongodbUrl('where projects are kept; the embedded database if not set'),
  REDIS_URL: redisUrl('where usage is read; in MongoDB if not set'),
  CLICKHOUSE_URL,
  ...NETWORK_NODES,
  ETH_RPC_URL: optionalNodeUrls('for `index estimate`, and to find the first block of a token'),
  PORTAL_URL: optionalSiteUrl('where people reach the portal, for the link of `account reset`'),
  ...kafkaSettings('where changes are published; the embedded log if not set'),
  ...OPTIONAL_PROJECT_SETTINGS,
};

export type AdminConfig = Config<typeof SETTINGS>;

export function readConfig(env: Environment): AdminConfig {
  const config = load(SETTINGS, env);
  if (config.MONGODB_URL === undefined) refuseUnfinished(config.DATA_DIR);
  return config;
}

/**
 * For a command about what is stored already: a mistyped folder would be made, and be found empty.
 * @param server the setting that keeps it elsewhere
 * @throws {ConfigError} where there is no folder
 */
export function refuseMissingFolder(
  config: AdminConfig,
  server: 'CLICKHOUSE_URL' | 'KAFKA_BROKERS' | 'MONGODB_URL' = 'MONGODB_URL',
): void {
  if (config[server] === undefined && !existsSync(config.DATA_DIR))
    throw new ConfigError([`DATA_DIR: there is no data folder ${config.DATA_DIR}`]);
}
