import { servedNetworks } from '@hindsight/chain/network-settings.ts';
import { openNodes } from '@hindsight/chain/pool/open-node.ts';
import { startService } from '@hindsight/http/start-service.ts';
import { readConfig } from './config.ts';
import { createTokens, indexerSettings, openTokenIndexes, startIndexing } from './service.ts';

await startService('tokens', {
  env: process.env,
  readConfig,
  async create(config, deps) {
    const { DATA_DIR: dataDir, MONGODB_URL: mongodbUrl } = config;
    const served = servedNetworks(config);
    const networks = served.map(({ network }) => network);
    const store = { dataDir, mongodbUrl, telemetry: deps.telemetry };
    const indexes = await openTokenIndexes(networks, store, deps.lifecycle);
    if (config.TOKENS_INDEX === 'on') {
      const limits = { timeoutMs: config.ETH_RPC_TIMEOUT_MS };
      for (const { network, node } of await openNodes(served, limits, deps)) {
        const index = indexes.get(network.name)!;
        startIndexing({ ...deps, index, network, node, settings: indexerSettings(config, network.name) });
      }
    }
    const lists = networks.map((network) => ({ network, list: indexes.get(network.name)! }));
    return createTokens({ ...deps, lists, publicUrl: config.PUBLIC_URL });
  },
});
