import { toChecksum } from '@hindsight/chain/address.ts';
import type { LogSearch } from '@hindsight/chain/logs/log-search.ts';
import { NodeError } from '@hindsight/chain/rpc/node-error.ts';
import { unavailable } from '@hindsight/kernel/errors.ts';
import { holdersIn, HOLDER_EVENTS } from '../domain/holder-events.ts';
import type { RecentHolders } from '../ports.ts';

/** Milliseconds that a search may take. */
const SEARCH_MS = 5_000;
const RETRY_AFTER_SECONDS = 2;

/** Searches at the nodes of a network. */
export function createRecentHolders(logs: LogSearch): RecentHolders {
  return {
    async find(token, from, to, signal) {
      const filter = { address: toChecksum(token), topics: [HOLDER_EVENTS] };
      const found = new Set<string>();
      let next = from;
      try {
        const range = { from, to };
        const options = { deadline: performance.now() + SEARCH_MS, signal };
        for await (const part of logs.search([filter], range, options)) {
          for (const log of part.logs) for (const holder of holdersIn(log)) found.add(holder);
          next = part.to + 1;
        }
      } catch (error) {
        if (error instanceof NodeError) throw notSearched(error);
        throw error;
      }
      if (next <= to.number) throw notSearched();
      return [...found].sort();
    },
  };
}

function notSearched(cause?: unknown): Error {
  return unavailable(
    'index_behind',
    'The nodes did not say in time whom the newest blocks concern, and the index does not have these yet.',
    RETRY_AFTER_SECONDS,
    cause,
  );
}
