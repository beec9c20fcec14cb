import { integer, optionalUrlList, type Setting } from '@hindsight/kernel/config.ts';
import { gatewayHosts } from './ens/ccip/gateway-hosts.ts';

/** The settings of every process that answers questions about the chain. */
export const CHAIN_SETTINGS = {
  ETH_RPC_TIMEOUT_MS: integer('milliseconds that the nodes have for one question, all of them together', {
    min: 50,
    max: 60_000,
    default: 5_000,
  }),
  REQUEST_TIMEOUT_MS: integer('milliseconds that a request may take in all', {
    min: 100,
    max: 120_000,
    default: 10_000,
  }),
  ENS_CCIP_GATEWAYS: gatewayHosts(
    'hosts that may be asked for ENS names kept off-chain (CCIP-read); off if not set',
  ),
};

const NODES = 'URLs of Ethereum nodes, separated by commas, in order of preference';
const PROTOCOLS = ['http:', 'https:'];

/** Nodes as an optional setting. @param what the URLs are of, or what is missing without them */
export function optionalNodeUrls(what?: string): Setting<readonly string[] | undefined> {
  return optionalUrlList(what === undefined ? NODES : `${NODES}; ${what}`, PROTOCOLS);
}

/** True for a URL that a setting of nodes takes. */
export function isNodeUrl(value: string): boolean {
  return optionalNodeUrls().schema.safeParse(value).success && !value.includes(',');
}
