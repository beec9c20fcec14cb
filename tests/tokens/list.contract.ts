/** The list from the outside, on whatever store. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TokenChain, type ExpectedToken } from '../support/token-chain.ts';
import { startTokens, type TokensService } from '../support/tokens-service.ts';
import type { Storage } from './hostile.contract.ts';

const LIST = '/v1/eth-mainnet/token';

interface Page {
  readonly total: number;
  readonly next: string | null;
  readonly previous: string | null;
  readonly tokens: readonly ExpectedToken[];
}

async function get(service: TokensService, url: string): Promise<Page> {
  const { pathname, search } = new URL(url, 'http://localhost');
  const answer = await service.app.inject({
    url: pathname + search,
    headers: { 'x-hindsight-plan': 'starter' },
  });
  expect(answer.statusCode).toBe(200);
  return answer.json();
}

/** Follows `next` to the end, and then `previous` back to the first page. */
async function walk(
  service: TokensService,
  limit: number,
  meanwhile?: () => Promise<void>,
): Promise<ExpectedToken[][]> {
  const pages: ExpectedToken[][] = [];
  let page = await get(service, `${LIST}?limit=${limit}`);
  for (;;) {
    pages.push([...page.tokens]);
    await meanwhile?.();
    if (page.next === null) break;
    page = await get(service, page.next);
  }
  const back = [page.tokens];
  while (page.previous !== null) {
    page = await get(service, page.previous);
    back.unshift(page.tokens);
  }
  // The last page may have grown when it was read a second time, no other.
  expect(back.slice(0, -1)).toEqual(pages.slice(0, -1));
  return pages;
}

/** The suite. */
export function describeTokenList(fresh: () => Promise<Storage>): void {
  describe('The token list of a chain with contracts of every kind', () => {
    let chain: TokenChain;
    let service: TokensService;
    beforeAll(async () => {
      chain = await TokenChain.start();
      await chain.grow(30, 4);
      await chain.vanish();
      await chain.finalize();
      service = await startTokens({
        ...(await fresh()),
        nodes: [chain.url],
        settings: { fromBlock: chain.first, firstBlocks: 7, maxBlocks: 20, events: 40 },
      });
      await service.reach(await chain.finalized());
    });
    afterAll(async () => {
      await service.stop();
      await chain.stop();
    });

    it.each([1000, 10, 7, 1])(
      'is the one that the raw logs give, from first to last and back, %i at a time',
      async (limit) => {
        expect(chain.contracts).toBeGreaterThan(100);
        const expected = await chain.expected(await chain.finalized());
        expect((await walk(service, limit)).flat()).toEqual(expected);
      },
    );

    it('has no row missed or doubled while the chain grows', async () => {
      const before = (await chain.expected(await chain.finalized())).length;
      let growth = 0;
      const pages = await walk(service, 5, async () => {
        if (growth++ < 12) await chain.grow(7, 1);
        // The indexer may be slower than the reader; the rest of the walk has something new to find.
        if (growth === 12) await service.reach(await chain.finalized());
      });
      await chain.finalize();
      await service.reach(await chain.finalized());
      const expected = await chain.expected(await chain.finalized());
      const seen = pages.flat();
      expect(seen).toEqual(expected.slice(0, seen.length));
      expect(seen.length).toBeGreaterThan(before);
      expect((await walk(service, 100)).flat()).toEqual(expected);
    });
  });
}
