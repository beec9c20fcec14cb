import { kafkaSettings } from '@hindsight/bus/settings.ts';
import { OPTIONAL_NETWORK_SETTINGS } from '@hindsight/chain/network-settings.ts';
import { ETH_MAINNET, NETWORKS } from '@hindsight/chain/networks.ts';
import { CHAIN_SETTINGS, optionalNodeUrls } from '@hindsight/chain/settings.ts';
import {
  ConfigError,
  keyText,
  load,
  optionalBaseUrl,
  type Config,
  type Environment,
} from '@hindsight/kernel/config.ts';
import { isWellFormedKey } from '@hindsight/projects/key.ts';
import { PROJECT_SETTINGS } from '@hindsight/projects/settings.ts';
import {
  dataDir,
  mongodbUrl,
  networkNames,
  redisUrl,
  serviceSettings,
  TRUST_PROXY,
} from '@hindsight/kernel/service-settings.ts';
import type { ShownNetworks } from './domain/shown-networks.ts';
import { PORTAL_SETTINGS } from './settings.ts';
import type { StatusSource } from './adapters/status-reader.ts';

/** The settings' declarations. @public source of docs/operations/settings.md */
export const SETTINGS = {
  ...serviceSettings(8090),
  ...PORTAL_SETTINGS,
  DATA_DIR: dataDir('the folder of the embedded databases'),
  ...PROJECT_SETTINGS,
  MONGODB_URL: mongodbUrl('where accounts and projects are kept; the embedded database if not set'),
  REDIS_URL: redisUrl('where usage is read; in MongoDB if not set'),
  ...kafkaSettings('where changes of projects are published; the embedded log if not set'),
  GATEWAY_URL: optionalBaseUrl(
    'where this process reaches the gateway, for the status page; API_URL if not set',
  ),
  BALANCE_URL: optionalBaseUrl('where the balance service listens, for the status page'),
  TOKENS_URL: optionalBaseUrl('where the tokens service listens, for the status page'),
  HOLDERS_URL: optionalBaseUrl('where the holders service listens, for the status page'),
  ORDERS_URL: optionalBaseUrl(
    'where the orders service listens, for the status page and for projects’ orders',
  ),
  DEMO_KEY: keyText('the public demo project’s key; `project rotate demo` prints a new one', isWellFormedKey),
  TRUST_PROXY,
  NETWORKS: networkNames('networks that pages offer, separated by commas; eth-mainnet if not set'),
  NETWORKS_FILE: OPTIONAL_NETWORK_SETTINGS.NETWORKS_FILE,
  ETH_RPC_URL: optionalNodeUrls('without one contract wallets cannot sign in'),
  ETH_RPC_TIMEOUT_MS: CHAIN_SETTINGS.ETH_RPC_TIMEOUT_MS,
};

export type PortalConfig = Config<typeof SETTINGS>;

/** Reads this service's settings. @throws {ConfigError} */
export function readConfig(env: Environment): PortalConfig {
  const config = load(SETTINGS, env);
  shownNetworks(config);
  return config;
}

/** Networks that pages offer. @throws {ConfigError} for a name that is not known */
export function shownNetworks({
  NETWORKS: names = [ETH_MAINNET.name],
  NETWORKS_FILE: own = [],
}: Pick<PortalConfig, 'NETWORKS' | 'NETWORKS_FILE'>): ShownNetworks {
  const known = names.map((name) => {
    const found = NETWORKS.get(name) ?? own.find(({ network }) => network.name === name)?.network;
    if (found === undefined)
      throw new ConfigError([`NETWORKS names ${name}: it needs an entry in NETWORKS_FILE`]);
    return found;
  });
  const [first = ETH_MAINNET, ...others] = known;
  return [first, ...others];
}

/** Sources of the status page: the gateway, and every service whose address is known. */
export function statusSources(config: PortalConfig, apiUrl: string): StatusSource[] {
  const services = {
    Balances: config.BALANCE_URL,
    Tokens: config.TOKENS_URL,
    Holders: config.HOLDERS_URL,
    Orders: config.ORDERS_URL,
  };
  const known = Object.entries(services).flatMap(([name, url]) => (url === undefined ? [] : [{ name, url }]));
  return [{ name: 'Gateway', url: config.GATEWAY_URL ?? apiUrl }, ...known];
}
