import {
  load,
  optionalConnectionString,
  text,
  urlList,
  type Config,
  type Environment,
} from '@hindsight/shared/config.ts';
import { CHAIN_SETTINGS } from '@hindsight/shared/chain/settings.ts';
import { serviceSettings } from '@hindsight/shared/service-settings.ts';
import { TOKEN_SETTINGS } from './settings.ts';

const SETTINGS = {
  ...serviceSettings(8082),
  ...TOKEN_SETTINGS,
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
