import { afterAll, expect, it } from '@jest/globals';
import { ETH_MAINNET } from '@hindsight/chain/networks.ts';
import { createLifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { DuckdbSession } from './adapters/duckdb-engine.ts';
import { withoutLeftovers } from './adapters/duckdb-parquet.ts';
import { OtherIndexVersion } from './domain/index-version.ts';
import { openHolderIndex } from './open-index.ts';

const BOUNDS = { memoryMb: 64, threads: 1 };
const lifecycle = createLifecycle(createLogger({ name: 'holders', level: 'silent' }));
afterAll(() => lifecycle.shutdown('the end of the tests'));

it('exports under way stay when the index is opened again', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'holders-'));
  const path = join(dataDir, 'holders.duckdb');
  const { check } = withoutLeftovers({ tables: '' });
  await check!({} as DuckdbSession, path);
  mkdirSync(`${path}.exports`);
  await check!({} as DuckdbSession, path);
  expect(existsSync(`${path}.exports`)).toBe(true);
  rmSync(dataDir, { recursive: true });
});

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
  const store = { dataDir: '/nowhere', clickhouseUrl, bounds: BOUNDS };
  const opened = openHolderIndex(ETH_MAINNET, store, lifecycle);
  await expect(opened).rejects.toBeInstanceOf(OtherIndexVersion);
  expect(asked).toBe(1);
  server.close();
});
