import {
  choice,
  load,
  optionalConnectionString,
  port,
  text,
  urlList,
  type Config,
  type Environment,
} from '@hindsight/shared/config.ts';
import { CHAIN_SETTINGS } from '@hindsight/shared/chain/settings.ts';
import { LOG_LEVELS } from '@hindsight/shared/logger.ts';
import { TELEMETRY_SETTINGS } from '@hindsight/shared/telemetry-settings.ts';

const SETTINGS = {
  ...TELEMETRY_SETTINGS,
  ...CHAIN_SETTINGS,
  HOST: text('the address to listen on', '127.0.0.1'),
  PORT: port('the port to listen on', 8081),
  METRICS_PORT: port('the port of /metrics, which is not public', 9081),
  LOG_LEVEL: choice('how much is logged', LOG_LEVELS, 'info'),
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
