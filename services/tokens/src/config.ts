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
import { TOKEN_SETTINGS } from './settings.ts';

const SETTINGS = {
  ...TELEMETRY_SETTINGS,
  ...TOKEN_SETTINGS,
  HOST: text('the address to listen on', '127.0.0.1'),
  PORT: port('the port to listen on', 8082),
  METRICS_PORT: port('the port of /metrics, which is not public', 9082),
  LOG_LEVEL: choice('how much is logged', LOG_LEVELS, 'info'),
  DATA_DIR: text('the folder of the embedded database', './data'),
  MONGODB_URL: optionalConnectionString('where the list is kept; the embedded database if not set', [
    'mongodb',
    'mongodb+srv',
  ]),
  ETH_RPC_URL: urlList('URLs of Ethereum nodes, separated by commas, in order of preference', [
    'http:',
    'https:',
  ]),
  ETH_RPC_TIMEOUT_MS: CHAIN_SETTINGS.ETH_RPC_TIMEOUT_MS,
};

/** The settings of this service. */
export type TokensConfig = Config<typeof SETTINGS>;

/** Reads this service's settings. @throws {ConfigError} */
export function readConfig(env: Environment): TokensConfig {
  return load(SETTINGS, env);
}
