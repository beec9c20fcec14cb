import {
  load,
  optionalConnectionString,
  optionalHostList,
  text,
  type Config,
  type Environment,
} from '@hindsight/shared/config.ts';
import { serviceSettings } from '@hindsight/shared/service-settings.ts';

const SETTINGS = {
  ...serviceSettings(8084),
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
