import { createLifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { openMongodb } from '@hindsight/stores/mongodb.ts';
import { laggingPrimary } from '@hindsight/stores/test/support/lagging-primary.ts';
import { withDatabase } from '@hindsight/tools/servers/mongodb-database.ts';
import { startMongodbProxy } from '@hindsight/tools/servers/mongodb-proxy.ts';
import { describeOnServers } from '@hindsight/tools/servers/suite.ts';
import { afterAll, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { createMongodbIndex } from '../../src/adapters/mongodb-index.ts';
import { collectionsOf, indexesOf } from '../../src/adapters/mongodb-documents.ts';
import type { TokenIndex } from '../../src/ports.ts';
import { appendAll, listed, tokensUpTo } from './index.fixtures.contract.ts';

const COLLECTIONS = collectionsOf('eth-mainnet');

await describeOnServers(
  'the token index on a primary that was just elected',
  { env: process.env, shared: ['mongodb'] },
  ({ mongodb }) => {
    const lifecycle = createLifecycle(createLogger({ name: 'test', level: 'silent' }));
    afterAll(() => lifecycle.shutdown('end of test'));

    it('gives each token one position, also when the indexer changes', async () => {
      const proxy = await startMongodbProxy(mongodb.address);
      lifecycle.onStop('the proxy', () => proxy.close());
      proxy.intercept = laggingPrimary();
      const database = `tokens-${randomUUID()}`;
      const open = async (address: string): Promise<TokenIndex> =>
        createMongodbIndex(
          await openMongodb({ url: withDatabase(address, database) }, indexesOf(COLLECTIONS), lifecycle),
          COLLECTIONS,
        );
      const indexers = [await open(proxy.url), await open(proxy.url)];
      const tokens = tokensUpTo(30);
      for (const [at, end] of [103, 106, 109].entries()) {
        const index = indexers[at % 2]!;
        const lease = { holder: String(at % 2), until: at + 1, status: { state: 'waiting', detail: '' } };
        expect(await index.claim(lease as never, at)).toBe(true);
        await appendAll(index, tokens, [end]);
      }
      const direct = await open(mongodb.address);
      expect(await direct.page({}, 0, 100)).toEqual({ total: 30, tokens: tokens.map(listed) });
      const named = tokens.filter(({ symbol }) => symbol.startsWith('USD')).map(listed);
      const found = await direct.page({ prefix: 'usd' }, 0, 100);
      expect(found.tokens.filter(({ symbol }) => symbol.startsWith('USD'))).toEqual(named);
    });
  },
);
