import { expect, it } from '@jest/globals';
import { ETH_MAINNET } from '@hindsight/chain/networks.ts';
import { createLifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { OtherIndexVersion } from './domain/index-version.ts';
import { openHolderIndex } from './open-index.ts';

it('tables of another version in ClickHouse are refused at once: they are not waited for', async () => {
  let asked = 0;
  const server = createServer((request, response) => {
    void text(request).then((sql) => {
      const isAsked = sql.includes('SELECT number');
      if (isAsked) asked += 1;
      response.end(isAsked ? '[999]\n' : '');
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const clickhouseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const lifecycle = createLifecycle(createLogger({ name: 'holders', level: 'silent' }));
  const store = { dataDir: '/nowhere', clickhouseUrl, bounds: { memoryMb: 64, threads: 1 } };
  const opened = openHolderIndex(ETH_MAINNET, store, lifecycle);
  await expect(opened).rejects.toBeInstanceOf(OtherIndexVersion);
  expect(asked).toBe(1);
  await lifecycle.shutdown('the end of the test');
  server.close();
});
