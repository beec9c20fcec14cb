import type { openBus } from '@hindsight/shared/bus/open.ts';
import {
  integer,
  load,
  optionalAddressList,
  optionalConnectionString,
  optionalHostList,
  optionalSecretList,
  requiredText,
  requiredUrl,
  text,
  urlList,
  type Config,
  type Environment,
} from '@hindsight/shared/config.ts';
import type { openProjects } from '@hindsight/shared/projects/open.ts';
import { serviceSettings } from '@hindsight/shared/service-settings.ts';

const SETTINGS = {
  ...serviceSettings(8080),
  DATA_DIR: text('the folder of the embedded database and of spools', './data'),
  SECRETS_KEY: requiredText('at least 16 characters; encrypts stored keys, the same for all services', {
    secret: true,
    minLength: 16,
  }),
  SECRETS_KEY_PREVIOUS: optionalSecretList(
    'former values of SECRETS_KEY, at least 16 characters each, separated by commas, newest first',
    16,
  ),
  MONGODB_URL: optionalConnectionString('where projects are kept; the embedded database if not set', [
    'mongodb',
    'mongodb+srv',
  ]),
  KAFKA_BROKERS: optionalHostList('where events are published and heard; the embedded database if not set'),
  REDIS_URL: optionalConnectionString('where several gateways find each other; not needed for one', [
    'redis',
    'rediss',
  ]),
  BALANCE_URL: requiredUrl('where the balance service listens', ['http:']),
  TOKENS_URL: requiredUrl('where the tokens service listens', ['http:']),
  ORDERS_URL: urlList('where instances of the orders service listen, separated by commas; they take turns', [
    'http:',
  ]),
  TRUST_PROXY: optionalAddressList('addresses of proxies whose X-Forwarded-For is believed'),
  USAGE_SPOOL_MAX_MB: integer('megabytes of counted requests that may wait on disk for the event bus', {
    min: 1,
    max: 1_000_000,
    default: 512,
  }),
  UPSTREAM_TIMEOUT_MS: integer('milliseconds that a service has to begin its answer', {
    min: 100,
    max: 120_000,
    default: 15_000,
  }),
};

/** The settings of this service. */
export type GatewayConfig = Config<typeof SETTINGS>;

/** Reads this service's settings. @throws {ConfigError} */
export function readConfig(env: Environment): GatewayConfig {
  return load(SETTINGS, env);
}

/** What opening the projects takes of them. */
export function projectSettings(config: GatewayConfig): Parameters<typeof openProjects>[0] {
  return {
    dataDir: config.DATA_DIR,
    mongodbUrl: config.MONGODB_URL,
    secret: config.SECRETS_KEY,
    previousSecrets: config.SECRETS_KEY_PREVIOUS,
  };
}

/** What opening the bus takes of them. */
export function busSettings(config: GatewayConfig): Parameters<typeof openBus>[0] {
  return { dataDir: config.DATA_DIR, brokers: config.KAFKA_BROKERS };
}
