import {
  choice,
  load,
  optionalConnectionString,
  optionalHostList,
  port,
  text,
  type Config,
  type Environment,
} from '@hindsight/shared/config.ts';
import { LOG_LEVELS } from '@hindsight/shared/logger.ts';
import { TELEMETRY_SETTINGS } from '@hindsight/shared/telemetry-settings.ts';

const SETTINGS = {
  ...TELEMETRY_SETTINGS,
  HOST: text('the address to listen on', '127.0.0.1'),
  PORT: port('the port to listen on', 8084),
  METRICS_PORT: port('the port of /metrics, which is not public', 9084),
  LOG_LEVEL: choice('how much is logged', LOG_LEVELS, 'info'),
  DATA_DIR: text('the folder of the embedded databases', './data'),
  MONGODB_URL: optionalConnectionString('where usage is counted; the embedded database if not set', [
    'mongodb',
    'mongodb+srv',
  ]),
  KAFKA_BROKERS: optionalHostList('where usage and orders are heard of; the embedded log if not set'),
};

/** The settings of this service. */
export type MeteringConfig = Config<typeof SETTINGS>;

/** Reads this service's settings. @throws {ConfigError} */
export function readConfig(env: Environment): MeteringConfig {
  return load(SETTINGS, env);
}
