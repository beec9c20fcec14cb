import { CHAIN_SETTINGS } from '@hindsight/shared/chain/settings.ts';
import {
  keyText,
  load,
  optionalAddressList,
  optionalConnectionString,
  optionalHostList,
  optionalSecretList,
  optionalUrlList,
  requiredText,
  text,
  type Config,
  type Environment,
} from '@hindsight/shared/config.ts';
import { isWellFormedKey } from '@hindsight/shared/projects/key.ts';
import type { openProjects } from '@hindsight/shared/projects/open.ts';
import { serviceSettings } from '@hindsight/shared/service-settings.ts';
import { optionalBaseUrl, PORTAL_SETTINGS } from './settings.ts';
import type { StatusSource } from './status-ports.ts';

const SETTINGS = {
  ...serviceSettings(8090),
  ...PORTAL_SETTINGS,
  DATA_DIR: text('the folder of the embedded databases', './data'),
  SECRETS_KEY: requiredText('at least 16 characters; encrypts stored keys, the same for all services', {
    secret: true,
    minLength: 16,
  }),
  SECRETS_KEY_PREVIOUS: optionalSecretList(
    'former values of SECRETS_KEY, at least 16 characters each, separated by commas, newest first',
    16,
  ),
  MONGODB_URL: optionalConnectionString(
    'where accounts and projects are kept; the embedded database if not set',
    ['mongodb', 'mongodb+srv'],
  ),
  KAFKA_BROKERS: optionalHostList('where changes of projects are published; the embedded log if not set'),
  GATEWAY_URL: optionalBaseUrl(
    'where this process reaches the gateway, for the status page; API_URL if not set',
  ),
  BALANCE_URL: optionalBaseUrl('where the balance service listens, for the status page'),
  TOKENS_URL: optionalBaseUrl('where the tokens service listens, for the status page'),
  ORDERS_URL: optionalBaseUrl('where the orders service listens, for the status page'),
  DEMO_KEY: keyText('the public demo project’s key', isWellFormedKey),
  TRUST_PROXY: optionalAddressList('addresses of proxies whose X-Forwarded-For is believed'),
  ETH_RPC_URL: optionalUrlList(
    'URLs of Ethereum nodes, separated by commas, in order of preference; without one contract wallets cannot sign in',
    ['http:', 'https:'],
  ),
  ETH_RPC_TIMEOUT_MS: CHAIN_SETTINGS.ETH_RPC_TIMEOUT_MS,
};

/** The settings of this service. */
export type PortalConfig = Config<typeof SETTINGS>;

/** Reads this service's settings. @throws {ConfigError} */
export function readConfig(env: Environment): PortalConfig {
  return load(SETTINGS, env);
}

/** Whose state the status page tells: the gateway's, and that of every service whose address is known. */
export function statusSources(config: PortalConfig, apiUrl: string): StatusSource[] {
  const services = { Balances: config.BALANCE_URL, Tokens: config.TOKENS_URL, Orders: config.ORDERS_URL };
  const known = Object.entries(services).flatMap(([name, url]) => (url === undefined ? [] : [{ name, url }]));
  return [{ name: 'Gateway', url: config.GATEWAY_URL ?? apiUrl }, ...known];
}

/** What opening the projects takes of them. */
export function projectSettings(config: PortalConfig): Parameters<typeof openProjects>[0] {
  return {
    dataDir: config.DATA_DIR,
    mongodbUrl: config.MONGODB_URL,
    secret: config.SECRETS_KEY,
    previousSecrets: config.SECRETS_KEY_PREVIOUS,
  };
}
