import { openCcipGateways } from '@hindsight/chain/ens/ccip/gateways.ts';
import { registryNodes, servedNetworks } from '@hindsight/chain/network-settings.ts';
import type { NetworkNodes } from '@hindsight/chain/networks-file.ts';
import { openNodes } from '@hindsight/chain/pool/open-node.ts';
import { startService } from '@hindsight/http/start-service.ts';
import { openRedis } from '@hindsight/stores/redis.ts';
import { readConfig } from './config.ts';
import { openHolders } from './open-holders.ts';
import { createBalance } from './service.ts';

await startService('balance', {
  env: process.env,
  readConfig,
  async create(config, deps) {
    const { lifecycle, logger, telemetry } = deps;
    const { REDIS_URL: url, ETH_RPC_TIMEOUT_MS: timeoutMs } = config;
    const open = (networks: readonly NetworkNodes[]): ReturnType<typeof openNodes> =>
      openNodes(networks, { timeoutMs }, deps);
    const [networks, [registry]] = await Promise.all([
      open(servedNetworks(config)),
      open(registryNodes(config)),
    ]);
    return createBalance({
      ...deps,
      networks,
      registry,
      redis: url === undefined ? undefined : await openRedis({ url, telemetry }, lifecycle, logger),
      holdersOf: openHolders(config.HOLDERS_URL, lifecycle),
      gateways: openCcipGateways(config.ENS_CCIP_GATEWAYS, lifecycle),
      feeds: config.FEEDS_FILE,
      deadlineMs: config.REQUEST_TIMEOUT_MS,
    });
  },
});
