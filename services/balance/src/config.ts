import {
  load,
  optionalConnectionString,
  urlList,
  type Config,
  type Environment,
} from '@hindsight/shared/config.ts';
import { CHAIN_SETTINGS } from '@hindsight/shared/chain/settings.ts';
import { serviceSettings } from '@hindsight/shared/service-settings.ts';

const SETTINGS = {
  ...serviceSettings(8081),
  ...CHAIN_SETTINGS,
  ETH_RPC_URL: urlList('URLs of Ethereum nodes, separated by commas, in order of preference', [
    'http:',
    'https:',
  ]),
  REDIS_URL: optionalConnectionString('Redis, where answers at finalized blocks are kept for all instances', [
    'redis',
    'rediss',
  ]),
};

/** The settings of this service. */
export type BalanceConfig = Config<typeof SETTINGS>;

/** Reads this service's settings. @throws {ConfigError} */
export function readConfig(env: Environment): BalanceConfig {
  return load(SETTINGS, env);
}
