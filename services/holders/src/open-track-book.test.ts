/** Books in ClickHouse, on a server that says what it is asked. */
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { createLifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { openTrackBook, storedTrackBooks, type TrackBookSettings } from './open-track-book.ts';

const lifecycle = createLifecycle(createLogger({ name: 'holders', level: 'silent' }));
let server: Server;
let store: TrackBookSettings;
let asked: string[];
let isStarting: boolean;

beforeEach(async () => {
  [asked, isStarting] = [[], false];
  server = createServer((request, response) => {
    void text(request).then((sql) => {
      asked.push(sql);
      response.statusCode = isStarting ? 503 : 200;
      isStarting = false;
      response.end('["touched_wishes_base_mainnet"]\n["touched_wishes_eth_mainnet"]\n');
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  store = {
    dataDir: '/nowhere',
    clickhouseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  };
});
afterEach(async () => {
  await lifecycle.shutdown('the end of the test');
  server.close();
});

it('the networks that have a book are found without making any', async () => {
  expect(await storedTrackBooks(store)).toEqual(['base-mainnet', 'eth-mainnet']);
  expect(asked).toEqual([expect.stringMatching(/^SELECT name FROM system\.tables/)]);
});

it('a server that begins together with this process is waited for', async () => {
  isStarting = true;
  await expect(openTrackBook('eth-mainnet', store, lifecycle)).resolves.toBeDefined();
  expect(asked[0]).toBe(asked[1]);
});
