import {
  choice,
  integer,
  load,
  optionalConnectionString,
  optionalSecretList,
  port,
  requiredText,
  requiredUrl,
  text,
  type Config,
  type Environment,
} from '@hindsight/shared/config.ts';
import { LOG_LEVELS } from '@hindsight/shared/logger.ts';

const SETTINGS = {
  HOST: text('the address to listen on', '127.0.0.1'),
  PORT: port('the port to listen on', 8080),
  METRICS_PORT: port('the port of /metrics, which is not public', 9080),
  LOG_LEVEL: choice('how much is logged', LOG_LEVELS, 'info'),
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
  BALANCE_URL: requiredUrl('where the balance service listens', ['http:']),
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
