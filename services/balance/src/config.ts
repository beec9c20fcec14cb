import type { Config, Environment } from '@hindsight/kernel/config.ts';
import { loadServing, NETWORK_SETTINGS } from '@hindsight/chain/network-settings.ts';
import { CHAIN_SETTINGS } from '@hindsight/chain/settings.ts';
import { FEEDS_FILE } from './feeds.ts';
import { redisUrl, serviceSettings, serviceUrls, workers } from '@hindsight/kernel/service-settings.ts';

const HOLDERS_URL = serviceUrls(
  'where the holders service listens, whose index saves searches of logs; they are searched if not set',
  false,
);

/** As declared. @public docs/operations/settings.md is made from it. */
export const SETTINGS = {
  ...serviceSettings(8081),
  ...CHAIN_SETTINGS,
  ...NETWORK_SETTINGS,
  FEEDS_FILE,
  WORKERS: workers('processes of this service, one a core; each has its own connections to the nodes'),
  HOLDERS_URL: {
    ...HOLDERS_URL,
    schema: HOLDERS_URL.schema.optional(),
  },
  REDIS_URL: redisUrl('Redis, where answers at finalized blocks are kept for all instances'),
};

/** Reads this service's settings. @throws {ConfigError} */
export function readConfig(env: Environment): Config<typeof SETTINGS> {
  return loadServing(SETTINGS, env);
}
