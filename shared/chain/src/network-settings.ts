/** The settings that say which networks a process serves, and where their nodes are. */
import type { CHAIN_IDS } from '@hindsight/api/chain-ids.ts';
import {
  ConfigError,
  load,
  type Config,
  type Environment,
  type Setting,
  type Settings,
} from '@hindsight/kernel/config.ts';
import { networkNames } from '@hindsight/kernel/service-settings.ts';
import { NETWORKS } from './networks.ts';
import { networksFile, type NetworkNodes } from './networks-file.ts';
import { optionalNodeUrls } from './settings.ts';

/** The known networks that can be served, by the setting of their nodes. */
const NODE_SETTINGS = {
  ETH_RPC_URL: 'eth-mainnet',
  BASE_RPC_URL: 'base-mainnet',
  OP_RPC_URL: 'op-mainnet',
  UNICHAIN_RPC_URL: 'unichain-mainnet',
  ARB_RPC_URL: 'arb-mainnet',
  POLYGON_RPC_URL: 'polygon-mainnet',
  BNB_RPC_URL: 'bnb-mainnet',
  GNOSIS_RPC_URL: 'gnosis-mainnet',
  SEPOLIA_RPC_URL: 'sepolia',
} as const satisfies Record<string, keyof typeof CHAIN_IDS>;
type NodeSetting = keyof typeof NODE_SETTINGS;
const SETTING_NAMES = Object.keys(NODE_SETTINGS) as NodeSetting[];

type NodeUrls = readonly string[] | undefined;

const FURTHER = Object.fromEntries(
  SETTING_NAMES.filter((name) => name !== 'ETH_RPC_URL').map((name) => [
    name,
    optionalNodeUrls(`those of ${NODE_SETTINGS[name]}`),
  ]),
) as Record<Exclude<NodeSetting, 'ETH_RPC_URL'>, Setting<NodeUrls>>;

export const NETWORK_NODES = {
  ETH_RPC_URL: optionalNodeUrls(),
  ...FURTHER,
  NETWORKS_FILE: networksFile(SETTING_NAMES),
};

/** Of a process that may have a network or none: without any node it has another source. */
export const OPTIONAL_NETWORK_SETTINGS = {
  ...NETWORK_NODES,
  NETWORKS: networkNames('networks that are served, separated by commas; all that have a node if not set'),
};

/** Of a process that needs a network: any one will do. */
export const NETWORK_SETTINGS = {
  ...OPTIONAL_NETWORK_SETTINGS,
  ETH_RPC_URL: { ...optionalNodeUrls(), unless: [...Object.keys(FURTHER), 'NETWORKS_FILE'] },
};

export type NetworkConfig = Config<typeof OPTIONAL_NETWORK_SETTINGS>;

/** Reads a process's settings with these among them. @throws {ConfigError} */
export function loadServing<S extends Settings & typeof OPTIONAL_NETWORK_SETTINGS>(
  settings: S,
  env: Environment,
): Config<S> {
  const config = load(settings, env);
  servedNetworks(load(OPTIONAL_NETWORK_SETTINGS, env));
  return config;
}

/** Those that are served, in the order of the settings. @throws {ConfigError} for one that is named and has no node */
export function servedNetworks(config: NetworkConfig): readonly NetworkNodes[] {
  const { NETWORKS: named } = config;
  const all = withNodes(config);
  const faults = (named ?? [])
    .filter((name) => !all.some(({ network }) => network.name === name))
    .map((name) => `NETWORKS names ${name}: it needs ${settingOf(name)}`);
  if (faults.length > 0) throw new ConfigError(faults);
  return named === undefined ? all : all.filter(({ network }) => named.includes(network.name));
}

/**
 * The network whose registry has the names of all others, if it has a node and is not served itself. @throws {ConfigError}
 */
export function registryNodes(config: NetworkConfig): readonly NetworkNodes[] {
  const served = servedNetworks(config).map(({ network }) => network);
  return withNodes(config).filter(({ network }) => network.ensRegistries && !served.includes(network));
}

function withNodes(config: NetworkConfig): readonly NetworkNodes[] {
  const known = SETTING_NAMES.flatMap((setting): NetworkNodes[] => {
    const network = NETWORKS.get(NODE_SETTINGS[setting]);
    const urls = config[setting];
    return network && urls ? [{ network, urls }] : [];
  });
  return [...known, ...(config.NETWORKS_FILE ?? [])];
}

export function settingOf(name: string): string {
  return SETTING_NAMES.find((one) => NODE_SETTINGS[one] === name) ?? 'an entry in NETWORKS_FILE';
}
