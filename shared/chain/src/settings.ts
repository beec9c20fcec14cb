import { integer, optionalUrlList, urlList, type Setting } from '@hindsight/kernel/config.ts';
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

/** `ETH_RPC_URL`. */
export const ETH_RPC_URL = urlList(NODES, PROTOCOLS);

/** `ETH_RPC_URL` as an optional setting. @param without what is missing then */
export function optionalNodeUrls(without?: string): Setting<readonly string[] | undefined> {
  return optionalUrlList(without === undefined ? NODES : `${NODES}; ${without}`, PROTOCOLS);
}
