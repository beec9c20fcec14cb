import { CHAIN } from '@hindsight/devchain/world.ts';
import type { ReadinessCheck } from '@hindsight/kernel/readiness.ts';
import type { HttpServer } from '@hindsight/http/types.ts';
import {
  createTokens,
  indexerSettings,
  indexReadiness,
  openTokenIndex,
  startIndexing,
} from '@hindsight/tokens/service.ts';
import type { StandaloneConfig } from './config.ts';
import type { ChainAccess } from './nodes.ts';

/** Files in DATA_DIR with the token index of the dev chain, and of the chain of `ETH_RPC_URL`. */
const DEVCHAIN_INDEX = 'tokens-devchain.db';
const MAINNET_INDEX = 'tokens.db';

/** Events read at a time: balances are answered in the same process, and must not wait for them. */
const EVENTS_BESIDE_OTHERS = 300;

type Deps = Omit<Parameters<typeof startIndexing>[0], 'index' | 'network' | 'node' | 'settings'>;

/** The tokens service with its indexer; the dev chain is indexed from its first block on. */
export async function startTokens(
  config: StandaloneConfig,
  { network, indexNode: node, embedded }: ChainAccess,
  deps: Deps,
): Promise<{ app: HttpServer; checks: readonly ReadinessCheck[] }> {
  // The dev chain and mainnet have separate lists: a user who switches to a real node keeps both.
  const file = embedded ? DEVCHAIN_INDEX : MAINNET_INDEX;
  const index = await openTokenIndex(
    network,
    { dataDir: config.DATA_DIR, fileOf: () => file },
    deps.lifecycle,
  );
  if (config.TOKENS_INDEX === 'on') {
    const first = embedded ? { fromBlock: Math.max(config.TOKENS_FROM_BLOCK, CHAIN.genesis) } : {};
    startIndexing({
      ...deps,
      index,
      network,
      node,
      settings: { ...indexerSettings(config), events: EVENTS_BESIDE_OTHERS, ...first },
    });
  }
  const lists = [{ network, list: index }];
  const app = createTokens({ ...deps, lists, publicUrl: config.PUBLIC_URL });
  return { app, checks: indexReadiness(lists) };
}
