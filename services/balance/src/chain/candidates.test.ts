import { describe, expect, it } from '@jest/globals';
import type { Log } from '@hindsight/chain/logs/log.ts';
import type { LogPart, LogSearch } from '@hindsight/chain/logs/log-search.ts';
import type { Block } from '@hindsight/chain/state/block.ts';
import type { PageStart } from '../domain/list-page.ts';
import { findCandidates } from './candidates.ts';
import { MAX_CANDIDATES } from './fair-candidates.ts';

const TO = { number: 1_000 } as Block;
/** One candidate more than fits a page, all of the last block. */
const LOGS = Array.from({ length: MAX_CANDIDATES + 1 }, (_, i) => {
  return { address: `0x${i.toString(16).padStart(40, '0')}`, block: TO.number } as Log;
});

/** Reads a page of a search that runs out of time at a block, beside an index of all blocks up to another. */
function pageOf({ timeUpAt, indexEnd, page }: { timeUpAt: number; indexEnd?: number; page?: PageStart }) {
  const logs = {
    firstBlock: async () => ({ number: 0, isChains: true }),
    async *search(...[, { from, to }]: Parameters<LogSearch['search']>): AsyncGenerator<LogPart> {
      yield { from: Math.max(from, timeUpAt), to: to.number, logs: LOGS };
    },
  };
  const indexed = indexEnd === undefined ? undefined : { from: 0, end: indexEnd, rows: [] };
  const search = { filters: [], to: TO, deadline: Infinity, page, indexed };
  const read = (contract: string) => [[contract, () => contract] as const];
  return findCandidates(logs, { ...search, read }, new AbortController().signal);
}

describe('candidates of a search that ran out of time', () => {
  it('are not attributed to an index that the search did not reach', async () => {
    const { how, fromBlock, complete } = await pageOf({ timeUpAt: 900, indexEnd: 500 });
    expect([how, fromBlock, complete]).toEqual(['logs', 900, false]);
  });

  it.each([
    ['the same index', 500, 500],
    ['a new index', undefined, 500],
    ['an index that has meanwhile passed that block', 500, 950],
  ])('go on with the same blocks on the next page, with %s', async (_, before, indexEnd) => {
    const first = await pageOf({ timeUpAt: 900, ...(before === undefined ? {} : { indexEnd: before }) });
    const next = await pageOf({ timeUpAt: 0, indexEnd, page: first.next! });
    expect([next.fromBlock, next.complete, next.next]).toEqual([900, false, null]);
    const found = [...first.found, ...next.found];
    expect([found.length, new Set(found).size]).toEqual([LOGS.length, LOGS.length]);
  });
});
