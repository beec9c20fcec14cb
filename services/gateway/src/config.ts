import { kafkaSettings } from '@hindsight/bus/settings.ts';
import { integer, load, optionalSiteUrl, type Config, type Environment } from '@hindsight/kernel/config.ts';
import { PROJECT_SETTINGS } from '@hindsight/projects/settings.ts';
import {
  dataDir,
  mongodbUrl,
  networkNames,
  PUBLIC_URL,
  redisUrl,
  SECURITY_CONTACT,
  serviceSettings,
  serviceUrls,
  TRUST_PROXY,
  workers,
} from '@hindsight/kernel/service-settings.ts';

const HOLDERS_URL = serviceUrls(
  'where the holders service listens; no token’s holders are indexed if not set',
  false,
);

/** As declared. @public docs/operations/settings.md is made from it. */
export const SETTINGS = {
  ...serviceSettings(8080),
  DATA_DIR: dataDir('the folder of the embedded database and of spools'),
  ...PROJECT_SETTINGS,
  MONGODB_URL: mongodbUrl('where projects are kept; the embedded database if not set'),
  ...kafkaSettings('where events are published and consumed; the embedded database if not set'),
  REDIS_URL: redisUrl('where several gateways find each other, and usage is read; not needed for one'),
  BALANCE_URL: serviceUrls('where the balance service listens', false),
  TOKENS_URL: serviceUrls('where the tokens service listens', false),
  HOLDERS_URL: { ...HOLDERS_URL, schema: HOLDERS_URL.schema.optional() },
  ORDERS_URL: serviceUrls('where instances of the orders service listen; they take turns', true),
  NETWORKS: networkNames(
    'networks that are served, separated by commas; any other is a 404 that names them, and each has limits of its own; what the services say if not set',
  ),
  TRUST_PROXY,
  WORKERS: workers('processes of this gateway, one a core; they share burst limits in Redis', ['REDIS_URL']),
  PUBLIC_URL,
  PORTAL_URL: optionalSiteUrl('where people reach the portal; errors and the first page lead to it'),
  SECURITY_CONTACT,
  USAGE_SPOOL_MAX_MB: integer('megabytes of counted requests that may wait on disk for the event bus', {
    min: 1,
    max: 1_000_000,
    default: 512,
  }),
  UPSTREAM_TIMEOUT_MS: integer(
    'milliseconds that a service has to begin its answer, and a stream to make progress',
    {
      min: 100,
      max: 120_000,
      default: 15_000,
    },
  ),
};

export type GatewayConfig = Config<typeof SETTINGS>;

/** Reads this service's settings. @throws {ConfigError} */
export function readConfig(env: Environment): GatewayConfig {
  return load(SETTINGS, env);
}
