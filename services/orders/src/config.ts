import {
  integer,
  load,
  optionalConnectionString,
  optionalHostList,
  text,
  urlList,
  type Config,
  type Environment,
} from '@hindsight/shared/config.ts';
import { serviceSettings } from '@hindsight/shared/service-settings.ts';
import { ORDER_SETTINGS } from './settings.ts';

const SETTINGS = {
  ...serviceSettings(8083),
  ...ORDER_SETTINGS,
  DATA_DIR: text('the folder of the embedded database, where there is no MongoDB', './data'),
  ETH_RPC_URL: urlList('URLs of Ethereum nodes, separated by commas, in order of preference', [
    'http:',
    'https:',
  ]),
  ETH_RPC_TIMEOUT_MS: integer('milliseconds that a node has to answer', {
    min: 50,
    max: 60_000,
    default: 5_000,
  }),
  MONGODB_URL: optionalConnectionString('where orders are kept; the embedded database if not set', [
    'mongodb',
    'mongodb+srv',
  ]),
  KAFKA_BROKERS: optionalHostList('where events are published; the embedded database if not set'),
};

/** The settings of this service. */
export type OrdersConfig = Config<typeof SETTINGS>;

/** Reads this service's settings. @throws {ConfigError} */
export function readConfig(env: Environment): OrdersConfig {
  return load(SETTINGS, env);
}
