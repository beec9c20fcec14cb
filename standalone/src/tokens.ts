import { CHAIN } from '@hindsight/devchain/world.ts';
import type { ReadinessCheck } from '@hindsight/kernel/readiness.ts';
import type { HttpServer } from '@hindsight/http/types.ts';
import {
  createTokens,
  indexerSettings,
  indexReadiness,
  openTokenIndexes,
  startIndexing,
} from '@hindsight/tokens/service.ts';
import type { StandaloneConfig } from './config.ts';
import { EVENTS_BESIDE_OTHERS, type ChainAccess } from './nodes.ts';

/** The file in DATA_DIR with the token index of the dev chain. An installation that switches to real nodes keeps both. */
const DEVCHAIN_INDEX = 'tokens-devchain.db';

type Deps = Omit<Parameters<typeof startIndexing>[0], 'index' | 'network' | 'node' | 'settings'>;

/** The tokens service with an indexer for each network; the dev chain is indexed from its first block on. */
export async function startTokens(
  config: StandaloneConfig,
  chains: readonly ChainAccess[],
  deps: Deps,
): Promise<{ app: HttpServer; checks: readonly ReadinessCheck[] }> {
  const networks = chains.map(({ network }) => network);
  const isEmbedded = chains.some(({ embedded }) => embedded);
  const store = { dataDir: config.DATA_DIR, ...(isEmbedded ? { fileOf: () => DEVCHAIN_INDEX } : {}) };
  const indexes = await openTokenIndexes(networks, store, deps.lifecycle);
  if (config.TOKENS_INDEX === 'on') {
    for (const { network, indexNode: node, embedded } of chains) {
      const index = indexes.get(network.name)!;
      const given = indexerSettings(config, network.name);
      const first = embedded ? { fromBlock: Math.max(given.fromBlock, CHAIN.genesis) } : {};
      const settings = { ...given, events: EVENTS_BESIDE_OTHERS, ...first };
      startIndexing({ ...deps, index, network, node, settings });
    }
  }
  const lists = networks.map((network) => ({ network, list: indexes.get(network.name)! }));
  const app = createTokens({ ...deps, lists, publicUrl: config.PUBLIC_URL });
  return { app, checks: indexReadiness(lists) };
}
