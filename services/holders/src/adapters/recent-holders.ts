import { toChecksum } from '@hindsight/chain/address.ts';
import type { Log, LogFilter } from '@hindsight/chain/logs/log.ts';
import type { LogSearch } from '@hindsight/chain/logs/log-search.ts';
import type { Network } from '@hindsight/chain/networks.ts';
import { NodeError } from '@hindsight/chain/rpc/node-error.ts';
import { addressTopic, ETHER_LOGS } from '@hindsight/chain/tokens/token-events.ts';
import { unavailable } from '@hindsight/kernel/errors.ts';
import { LRUCache } from 'lru-cache';
import { holdersIn, HOLDER_EVENTS } from '../domain/holder-events.ts';
import type { PinnedBlock, RecentHolders, TouchedBlock, TouchedBy } from '../ports.ts';

/** Blocks and tokens of searches that are kept. */
const MOST_KEPT = 50_000;

/** Searches at the nodes of a network. @param searchMs milliseconds that a search may take */
export function createRecentHolders(
  logs: LogSearch,
  { tokenTypes }: Pick<Network, 'tokenTypes'>,
  searchMs: number,
): RecentHolders {
  const odd = Object.keys(tokenTypes);
  /** Each page of a list asks the same again, up to the same last block, and blocks may be full. */
  const named = new LRUCache<string, readonly string[]>({
    maxSize: MOST_KEPT,
    sizeCalculation: (holders) => 1 + holders.length,
  });
  const searched = new LRUCache<string, readonly TouchedBlock[]>({
    maxSize: MOST_KEPT,
    sizeCalculation: (blocks, key) =>
      1 + Math.ceil(key.length / 42) + blocks.reduce((sum, of) => sum + 1 + of.tokens.length, 0),
  });
  const search = async (
    filters: readonly LogFilter[],
    { from, to, signal }: { readonly from: number; readonly to: PinnedBlock; readonly signal: AbortSignal },
    take: (log: Log) => void,
  ): Promise<void> => {
    let next = from;
    try {
      const options = { deadline: performance.now() + searchMs, signal };
      for await (const part of logs.search(filters, { from, to }, options)) {
        for (const log of part.logs) take(log);
        next = part.to + 1;
      }
    } catch (error) {
      if (error instanceof NodeError) throw notSearched(error);
      throw error;
    }
    if (next <= to.number) throw notSearched();
  };
  return {
    async find(token, from, to, signal) {
      const key = `${token} ${from} ${to.hash}`;
      const known = to.isNamed ? named.get(key) : undefined;
      if (known !== undefined) return known;
      const found = new Set<string>();
      const filters = [{ address: toChecksum(token), topics: [HOLDER_EVENTS] }];
      await search(filters, { from, to, signal }, (log) => {
        for (const holder of holdersIn(log)) found.add(holder);
      });
      const holders = [...found].sort();
      named.set(key, holders);
      return holders;
    },
    async blocks({ tokens, holder }, from, to, signal) {
      const key = JSON.stringify([from, to.hash, tokens, holder]);
      const known = searched.get(key);
      if (known !== undefined) return known;
      const found = new Map<number, { readonly hash: string; readonly tokens: Set<string> }>();
      await search(filtersOf(tokens, holder, odd), { from, to, signal }, (log) => {
        if (log.address === ETHER_LOGS || tokens?.includes(log.address) === false) return;
        if (holder !== undefined && !holdersIn(log).includes(holder)) return;
        const block = found.get(log.block) ?? { hash: log.blockHash, tokens: new Set() };
        found.set(log.block, { ...block, tokens: block.tokens.add(log.address) });
      });
      const blocks = [...found].map(([number, { hash, tokens: of }]) => ({ number, hash, tokens: [...of] }));
      blocks.sort((one, other) => one.number - other.number);
      searched.set(key, blocks);
      return blocks;
    },
  };
}

/**
 * One token's events are searched as a whole: a few contracts name their accounts in no topic. Of any token's, those are found
 * that do, and those of `odd` tokens, which the network's entry names.
 */
function filtersOf(
  tokens: TouchedBy['tokens'],
  holder: string | undefined,
  odd: readonly string[],
): readonly LogFilter[] {
  const [token, ...others] = tokens ?? [];
  if (holder === undefined || (token !== undefined && others.length === 0))
    return (tokens ?? []).map((one) => ({ address: toChecksum(one), topics: [HOLDER_EVENTS] }));
  const topic = addressTopic(holder);
  return [
    { topics: [HOLDER_EVENTS, topic] },
    { topics: [HOLDER_EVENTS, null, topic] },
    { topics: [HOLDER_EVENTS, null, null, topic] },
    ...odd.map((one) => ({ address: toChecksum(one), topics: [HOLDER_EVENTS] })),
  ];
}

function notSearched(cause?: unknown): Error {
  return unavailable(
    'index_behind',
    'The nodes did not say in time whom the newest blocks concern, and the index does not have these yet.',
    { cause },
  );
}
