import { ETH_MAINNET } from '@hindsight/chain/networks.ts';
import { openNode } from '@hindsight/chain/pool/open-node.ts';
import { startService } from '@hindsight/http/start-service.ts';
import { readConfig } from './config.ts';
import { createTokens, indexerSettings, MAX_ANSWER_BYTES, openTokenIndex, startIndexing } from './service.ts';

await startService('tokens', {
  env: process.env,
  readConfig,
  async create(config, deps) {
    const network = ETH_MAINNET;
    const { DATA_DIR: dataDir, MONGODB_URL: mongodbUrl } = config;
    const index = await openTokenIndex(
      network,
      { dataDir, mongodbUrl, telemetry: deps.telemetry },
      deps.lifecycle,
    );
    if (config.TOKENS_INDEX === 'on') {
      const nodes = { urls: config.ETH_RPC_URL, timeoutMs: config.ETH_RPC_TIMEOUT_MS };
      const node = await openNode({ ...nodes, maxBytes: MAX_ANSWER_BYTES }, network, deps);
      startIndexing({ ...deps, index, network, node, settings: indexerSettings(config) });
    }
    return createTokens({ ...deps, lists: [{ network, list: index }], publicUrl: config.PUBLIC_URL });
  },
});
