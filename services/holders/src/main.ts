import { servedNetworks } from '@hindsight/chain/network-settings.ts';
import type { NetworkNodes } from '@hindsight/chain/networks-file.ts';
import { openNode } from '@hindsight/chain/pool/open-node.ts';
import { connectService } from '@hindsight/http/http-service.ts';
import { startService } from '@hindsight/http/start-service.ts';
import { readConfig } from './config.ts';
import {
  createHolders,
  openHolderIndex,
  openTrackBook,
  walkSettings,
  type FurtherNetwork,
} from './service.ts';

await startService('holders', {
  env: process.env,
  readConfig,
  async create(config, deps) {
    const { DATA_DIR: dataDir, CLICKHOUSE_URL: clickhouseUrl } = config;
    const bounds = { memoryMb: config.INDEX_MEMORY_MB, threads: config.INDEX_THREADS };
    const store = { dataDir, clickhouseUrl };
    const { ETH_RPC_TIMEOUT_MS: timeoutMs } = config;
    const open = async ({ network, urls }: NetworkNodes): Promise<FurtherNetwork> => ({
      network,
      index: await openHolderIndex(network, { ...store, bounds }, deps.lifecycle),
      book: await openTrackBook(network.name, store, deps.lifecycle),
      node: await openNode({ timeoutMs, urls }, network, deps),
    });
    const [first, ...others] = await Promise.all(servedNetworks(config).map(open));
    if (first === undefined) throw new Error('no network has a node');
    const balance = connectService('balance', config.BALANCE_URL);
    deps.lifecycle.onStop('connections to the balance service', () => balance.close());
    return createHolders({
      ...deps,
      ...first,
      others,
      tracks: config.INDEX_TOKENS,
      balance,
      settings: walkSettings(config),
      checksPerMinute: config.INDEX_CHECKS_PER_MINUTE,
      deadlineMs: config.REQUEST_TIMEOUT_MS,
    });
  },
});
