/** On a MongoDB that fails, the token index has no gap, no token twice, and no half of a change. */
import { createLifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { openMongodb } from '@hindsight/stores/mongodb.ts';
import { troubleMongodb, untilDone } from '@hindsight/stores/test/support/troubled-mongodb.ts';
import { CheckpointConflict } from '@hindsight/indexing/position.ts';
import { withDatabase } from '@hindsight/tools/servers/mongodb-database.ts';
import { describeOnServers } from '@hindsight/tools/servers/suite.ts';
import { afterAll, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { createMongodbIndex } from '../../src/adapters/mongodb-index.ts';
import { collectionsOf, indexesOf } from '../../src/adapters/mongodb-documents.ts';
import type { Checkpoint, TokenIndex } from '../../src/ports.ts';
import { listed, rangeOf, tokenOf } from './index.fixtures.contract.ts';

const FIRST = 100;
const BLOCKS = 2;
const TOKENS_A_BLOCK = 3;

const COLLECTIONS = collectionsOf('eth-mainnet');

await describeOnServers(
  'the token index in a failing MongoDB',
  { env: process.env, shared: ['mongodb'] },
  ({ mongodb }) => {
    const lifecycle = createLifecycle(createLogger({ name: 'test', level: 'silent' }));
    const database = `tokens-faults-${randomUUID()}`;
    afterAll(() => lifecycle.shutdown('end of test'));

    it('grows without gaps, whichever of two indexers continues', async () => {
      const troubled = await troubleMongodb(mongodb.address);
      lifecycle.onStop('the proxy', () => troubled.close());
      const open = async (url: string): Promise<TokenIndex> =>
        createMongodbIndex(await openMongodb({ url }, indexesOf(COLLECTIONS), lifecycle), COLLECTIONS);
      const indexers = [await open(troubled.url(database)), await open(troubled.url(database))];
      const direct = await open(withDatabase(mongodb.address, database));

      /** As the indexer's job does: from the checkpoint, and from the checkpoint again after each failure. */
      async function continueFrom(index: TokenIndex, to: number): Promise<void> {
        for (let base = await resume(index); (base?.number ?? FIRST - 1) < to; base = await resume(index)) {
          const from = (base?.number ?? FIRST - 1) + 1;
          const tokens = Array.from({ length: (to - from + 1) * TOKENS_A_BLOCK }, (_, i) =>
            tokenOf((from - FIRST) * TOKENS_A_BLOCK + i, { name: '', lookAt: to }),
          );
          const range = { ...rangeOf(from, to, tokens), others: [`0x${to}`, `0x${to + 1}`] };
          await untilDone(() => unlessConflict(() => index.append(base, range)));
        }
      }
      const resume = (index: TokenIndex): Promise<Checkpoint | null> =>
        untilDone(() => unlessConflict(() => index.resume()).then((found) => found ?? null));
      async function nameThem(index: TokenIndex, height: number): Promise<void> {
        for (;;) {
          const base = await resume(index);
          const due = await untilDone(() => index.due(height, 10));
          if (base === null || due.length === 0) return;
          const looks = due.map(({ token: { address } }) => ({
            address,
            names: { name: 'Uniswap', symbol: 'UNI', decimals: 18 },
            lookAt: null,
          }));
          await untilDone(() => unlessConflict(() => index.noteLooks(base, looks)));
        }
      }

      let end = FIRST - 1;
      await troubled.trouble(async () => {
        end += BLOCKS;
        await Promise.all(indexers.map((index) => continueFrom(index, end)));
        await nameThem(indexers[end % 2]!, end);
      });
      const count = (end - FIRST + 1) * TOKENS_A_BLOCK;
      await nameThem(direct, end);
      const names = { name: 'Uniswap', symbol: 'UNI', decimals: 18 };
      const expected = Array.from({ length: count }, (_, i) => listed(tokenOf(i, names)));
      for (const filter of [{}, { prefix: 'uni' }]) {
        const { total, tokens } = await direct.page(filter, 0, count + 1);
        expect(total).toBe(count);
        expect([...tokens].sort(byAddress)).toEqual([...expected].sort(byAddress));
      }
      expect(await direct.unseen([`0x${end}`, `0x${end + 1}`, '0xunseen'])).toEqual(['0xunseen']);
    });
  },
);

/** Another indexer was faster, or the attempt before was executed: both continue from the checkpoint. */
async function unlessConflict<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof CheckpointConflict) return undefined;
    throw error;
  }
}

const byAddress = (one: { address: string }, other: { address: string }): number =>
  one.address < other.address ? -1 : 1;
