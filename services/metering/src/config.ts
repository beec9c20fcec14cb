import { kafkaSettings } from '@hindsight/bus/settings.ts';
import { load, type Config, type Environment } from '@hindsight/kernel/config.ts';
import { dataDir, mongodbUrl, redisUrl, serviceSettings } from '@hindsight/kernel/service-settings.ts';

/** As declared. @public docs/operations/settings.md is made from it. */
export const SETTINGS = {
  ...serviceSettings(8084),
  DATA_DIR: dataDir('the folder of the embedded databases'),
  MONGODB_URL: mongodbUrl('where usage is counted; the embedded database if not set'),
  REDIS_URL: redisUrl('where usage is copied to, to be looked at; only with MONGODB_URL, and not needed'),
  ...kafkaSettings('where usage and orders are read; the embedded log if not set'),
};

/** Reads this service's settings. @throws {ConfigError} */
export function readConfig(env: Environment): Config<typeof SETTINGS> {
  return load(SETTINGS, env);
}
