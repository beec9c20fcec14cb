import type { Lifecycle } from '@hindsight/kernel/lifecycle.ts';
import type { ServiceUrls } from '@hindsight/kernel/service-settings.ts';
import type { GatewayConfig } from '../config.ts';
import { ABSENT_HOLDERS } from './absent-holders.ts';
import { createPoolUpstream } from './pool-upstream.ts';
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
  const general = all.length === 0 ? undefined : open(all);
  const others = named === undefined ? general : undefined;
  return createUpstreamsByNetwork({ networks: new Map(served), others, general });
}
