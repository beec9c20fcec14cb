import { openCcipGateways } from '@hindsight/chain/ens/ccip/gateways.ts';
import { ETH_MAINNET } from '@hindsight/chain/networks.ts';
import { openNode } from '@hindsight/chain/pool/open-node.ts';
import { startService } from '@hindsight/http/start-service.ts';
import { openRedis } from '@hindsight/stores/redis.ts';
import { readConfig } from './config.ts';
import { createBalance } from './service.ts';

await startService('balance', {
  env: process.env,
  readConfig,
  async create(config, deps) {
    const { lifecycle, logger, telemetry } = deps;
    const { REDIS_URL: url } = config;
    const nodes = { urls: config.ETH_RPC_URL, timeoutMs: config.ETH_RPC_TIMEOUT_MS };
    return createBalance({
      ...deps,
      networks: [{ network: ETH_MAINNET, node: await openNode(nodes, ETH_MAINNET, deps) }],
      redis: url === undefined ? undefined : await openRedis({ url, telemetry }, lifecycle, logger),
      gateways: openCcipGateways(config.ENS_CCIP_GATEWAYS, lifecycle),
      deadlineMs: config.REQUEST_TIMEOUT_MS,
    });
  },
});
