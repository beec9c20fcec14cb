import type { Lifecycle } from '@hindsight/kernel/lifecycle.ts';
import type { ServiceUrls } from '@hindsight/kernel/service-settings.ts';
import type { GatewayConfig } from '../config.ts';
import { ABSENT_HOLDERS } from './own-answer.ts';
import { createPoolUpstream } from './pool-upstream.ts';
import { createOverNetworks } from './over-networks.ts';
import type { Upstream, Upstreams } from './upstream.ts';
import { createUpstreamsByNetwork } from './upstreams-by-network.ts';
import { createUpstreamsInTurn } from './upstreams-in-turn.ts';

/** Opens a pool to each instance of each service; all are closed with the process. */
export function openUpstreams(config: GatewayConfig, lifecycle: Lifecycle): Upstreams {
  const open = (name: string, urls: ServiceUrls): Upstream => {
    const upstream = openService(urls, config);
    lifecycle.onStop(`${name} upstream`, () => upstream.close());
    return upstream;
  };
  return {
    balance: open('balance', config.BALANCE_URL),
    tokens: open('tokens', config.TOKENS_URL),
    holders: config.HOLDERS_URL === undefined ? ABSENT_HOLDERS : open('holders', config.HOLDERS_URL),
    orders: open('orders', config.ORDERS_URL),
  };
}

/** Part of a service's time in which each of several networks must answer: the merged answer must still be sent in time. */
const OF_TIMEOUT = 0.9;

/** Networks that share instances have pools of their own to them, and with these limits of their own. */
function openService(
  { all, byNetwork }: ServiceUrls,
  { NETWORKS: named, UPSTREAM_TIMEOUT_MS: bodyTimeout }: GatewayConfig,
): Upstream {
  const open = (origins: readonly string[]): Upstream => {
    const pools = origins.map((origin) => createPoolUpstream({ origin, bodyTimeout }));
    return pools.length === 1 ? pools[0]! : createUpstreamsInTurn(pools);
  };
  if (named === undefined && byNetwork.size === 0) return open(all);
  const served = (named ?? [...byNetwork.keys()]).flatMap((network): [string, Upstream][] => {
    const origins = byNetwork.get(network) ?? all;
    return origins.length === 0 ? [] : [[network, open(origins)]];
  });
  const others = named === undefined && all.length > 0 ? open(all) : undefined;
  const groups = [...groupsOf({ all, byNetwork }, named)].map(([origins, networks]) => ({
    upstream: open(origins),
    ...(networks && { networks }),
  }));
  const general = groups.length > 0 ? createOverNetworks(groups, OF_TIMEOUT * bodyTimeout) : undefined;
  return createUpstreamsByNetwork({ networks: new Map(served), others, general });
}

/** The networks of each list of instances, in order; undefined for all networks that no other list has. */
function groupsOf(
  { all, byNetwork }: ServiceUrls,
  named: readonly string[] | undefined,
): ReadonlyMap<readonly string[], readonly string[] | undefined> {
  const groups = new Map<string, [readonly string[], string[] | undefined]>();
  for (const network of named ?? byNetwork.keys()) {
    const origins = byNetwork.get(network) ?? all;
    const [, networks = []] = groups.get(String(origins)) ?? [];
    if (origins.length > 0) groups.set(String(origins), [origins, [...networks, network]]);
  }
  if (named === undefined && all.length > 0) groups.set(String(all), [all, undefined]);
  return new Map(groups.values());
}
