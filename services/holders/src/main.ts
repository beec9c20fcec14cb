import { firstServed } from '@hindsight/chain/network-settings.ts';
import { openNode } from '@hindsight/chain/pool/open-node.ts';
import { startService } from '@hindsight/http/start-service.ts';
import { MAX_ANSWER_BYTES } from '@hindsight/indexing/walk.ts';
import { readConfig } from './config.ts';
import { connectBalanceApi, createHolders, openHolderIndex, openTrackBook, walkSettings } from './service.ts';

await startService('holders', {
  env: process.env,
  readConfig,
  async create(config, deps) {
    const { network, urls } = firstServed(config);
    const { DATA_DIR: dataDir, CLICKHOUSE_URL: clickhouseUrl } = config;
    const bounds = { memoryMb: config.INDEX_MEMORY_MB, threads: config.INDEX_THREADS };
    const index = await openHolderIndex(network, { dataDir, clickhouseUrl, bounds }, deps.lifecycle);
    const nodes = { urls, timeoutMs: config.ETH_RPC_TIMEOUT_MS };
    const book = await openTrackBook(network.name, { dataDir, clickhouseUrl }, deps.lifecycle);
    const node = await openNode({ ...nodes, maxBytes: MAX_ANSWER_BYTES }, network, deps);
    const balance = connectBalanceApi(config.BALANCE_URL);
    deps.lifecycle.onStop('connections to the balance service', () => balance.close());
    return createHolders({
      ...deps,
      index,
      book,
      tracks: config.INDEX_TOKENS,
      network,
      node,
      balance,
      settings: walkSettings(config),
      checksPerMinute: config.INDEX_CHECKS_PER_MINUTE,
      deadlineMs: config.REQUEST_TIMEOUT_MS,
    });
  },
});
