import { ABSENT_HOLDERS } from './absent-holders.ts';
import { createPoolUpstream } from './pool-upstream.ts';
import type { Upstream, Upstreams } from './upstream.ts';
import { createUpstreamsInTurn } from './upstreams-in-turn.ts';
import type { Lifecycle } from '@hindsight/kernel/lifecycle.ts';
import type { GatewayConfig } from '../config.ts';

/** Opens a pool to each instance of each service; all are closed with the process. */
export function openUpstreams(config: GatewayConfig, lifecycle: Lifecycle): Upstreams {
  const open = (name: string, origins: readonly string[]): Upstream => {
    const bodyTimeout = config.UPSTREAM_TIMEOUT_MS;
    const pools = origins.map((origin) => createPoolUpstream({ origin, bodyTimeout }));
    const upstream = pools.length === 1 ? pools[0]! : createUpstreamsInTurn(pools);
    lifecycle.onStop(`${name} upstream`, () => upstream.close());
    return upstream;
  };
  return {
    balance: open('balance', [config.BALANCE_URL]),
    tokens: open('tokens', [config.TOKENS_URL]),
    holders: config.HOLDERS_URL === undefined ? ABSENT_HOLDERS : open('holders', [config.HOLDERS_URL]),
    orders: open('orders', config.ORDERS_URL),
  };
}
