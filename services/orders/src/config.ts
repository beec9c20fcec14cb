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

const SETTINGS = {
  ...serviceSettings(8083),
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
  ORDERS_KEEP_DAYS: integer('days that an order is kept at least, and until its deadline', {
    min: 1,
    max: 3_650,
    default: 30,
  }),
  ORDERS_MAX_IN_FLIGHT: integer('orders that are taken on at a time; what comes beyond is refused at once', {
    min: 1,
    max: 10_000,
    default: 128,
  }),
};

/** The settings of this service. */
export type OrdersConfig = Config<typeof SETTINGS>;

/** Reads this service's settings. @throws {ConfigError} */
export function readConfig(env: Environment): OrdersConfig {
  return load(SETTINGS, env);
}
