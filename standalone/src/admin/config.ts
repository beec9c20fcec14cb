import {
  ConfigError,
  load,
  optionalConnectionString,
  optionalHostList,
  optionalSecretList,
  optionalText,
  text,
  type Config,
  type Environment,
} from '@hindsight/shared/config.ts';

const SETTINGS = {
  DATA_DIR: text('the folder of the embedded database', './data'),
  MONGODB_URL: optionalConnectionString('where projects are kept; the embedded database if not set', [
    'mongodb',
    'mongodb+srv',
  ]),
  KAFKA_BROKERS: optionalHostList('where changes are published; the embedded log if not set'),
  SECRETS_KEY: optionalText('at least 16 characters; encrypts stored keys, the same for all services', {
    secret: true,
    minLength: 16,
  }),
  SECRETS_KEY_PREVIOUS: optionalSecretList(
    'former values of SECRETS_KEY, at least 16 characters each, separated by commas, newest first',
    16,
  ),
};

/** The settings of the administration. */
export type AdminConfig = Config<typeof SETTINGS>;

/** Reads the settings. @throws {ConfigError} */
export function readConfig(env: Environment): AdminConfig {
  const config = load(SETTINGS, env);
  if (config.MONGODB_URL !== undefined && config.SECRETS_KEY === undefined) {
    throw new ConfigError(['SECRETS_KEY is not set: with MONGODB_URL it must be that of the services']);
  }
  return config;
}
