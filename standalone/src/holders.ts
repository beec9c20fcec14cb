import { CHAIN } from '@hindsight/devchain/world.ts';
import { inProcessService } from '@hindsight/http/in-process-service.ts';
import type { HttpServer } from '@hindsight/http/types.ts';
import {
  ALL_TOKENS,
  createHolders,
  openHolderIndex,
  openTrackBook,
  walkSettings,
  type FurtherNetwork,
  type HoldersDeps,
} from '@hindsight/holders/service.ts';
import type { StandaloneConfig } from './config.ts';
import { EVENTS_BESIDE_OTHERS, type ChainAccess } from './nodes.ts';

/** The file in DATA_DIR with the index of holders of the dev chain. */
const DEVCHAIN_INDEX = 'holders-devchain.duckdb';

type Deps = Pick<HoldersDeps, 'logger' | 'clock' | 'ids' | 'lifecycle' | 'telemetry'>;

/** The holders service. Of the dev chain all tokens are indexed, with the first question: nothing is loaded before. */
export async function startHolders(
  config: StandaloneConfig,
  [{ network, indexNode: node, embedded }, ...others]: readonly [ChainAccess, ...ChainAccess[]],
  balance: HttpServer,
  deps: Deps,
): Promise<HttpServer> {
  const bounds = { memoryMb: config.INDEX_MEMORY_MB, threads: config.INDEX_THREADS };
  const file = embedded ? { fileOf: () => DEVCHAIN_INDEX } : {};
  const store = { dataDir: config.DATA_DIR, bounds, ...file };
  const { INDEX_TOKENS: named, INDEX_FROM: from } = config;
  const settings = { ...walkSettings(config), events: EVENTS_BESIDE_OTHERS };
  // The dev chain plays mainnet: tracks that are wanted of one are not meant for the other.
  const book = embedded
    ? {}
    : { book: await openTrackBook(network.name, { dataDir: config.DATA_DIR }, deps.lifecycle) };
  const openOther = async (other: ChainAccess): Promise<FurtherNetwork> => ({
    network: other.network,
    node: other.indexNode,
    index: await openHolderIndex(other.network, store, deps.lifecycle),
    book: await openTrackBook(other.network.name, { dataDir: config.DATA_DIR }, deps.lifecycle),
  });
  return createHolders({
    ...deps,
    ...book,
    others: await Promise.all(others.map(openOther)),
    index: await openHolderIndex(network, store, deps.lifecycle),
    tracks: embedded && named.length === 0 ? [ALL_TOKENS] : named,
    network,
    node,
    balance: inProcessService(() => balance),
    settings: embedded ? { ...settings, fromBlock: Math.max(from, CHAIN.genesis) } : settings,
    lazily: embedded && named.length === 0,
    checksPerMinute: embedded ? 0 : config.INDEX_CHECKS_PER_MINUTE,
    deadlineMs: config.REQUEST_TIMEOUT_MS,
  });
}
