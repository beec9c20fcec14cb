/** The published client in a real browser, on a page of another origin than the API's. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeInBrowser, eachWithReader } from '../support/browser/suite.ts';
import { makeFastKey } from '../support/fast-key.ts';
import { sharedHindsight, type SharedHindsight } from '../support/shared-hindsight.ts';
import { install, packedClient } from './packed.ts';

const USDC = '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48';

/** Runs in the page. */
const PROGRAM = `
  const { createClient } = await import('/client/index.js');
  const client = createClient({ apiKey: KEY, url: API });
  const at = { token: USDC, block: 18000000 };
  const { balance, format } = await client.balance.at({ ...at, holder: 'alice.eth' });
  const holders = Array.from({ length: 300 }, (_, i) => '0x' + (i + 1).toString(16).padStart(40, '0'));
  let rows = 0;
  let sum = 0n;
  for await (const row of client.snapshot([...holders, 'alice.eth'], at)) {
    rows += 1;
    sum += row.balance;
  }
  const fault = await client.balance.at({ ...at, holder: 'unregistered.eth' }).catch((error) => error);
  return { balance: String(balance), type: typeof balance, rows, sum: String(sum), fault: fault.name, code: fault.code };
`;

describeInBrowser('The client in Chromium', process.env, (browser) => {
  const folder = mkdtempSync(join(tmpdir(), 'hindsight-browser-client-'));
  const reader = eachWithReader(browser);
  let hindsight: SharedHindsight;
  let site: Server;

  beforeAll(async () => {
    const place = install(await packedClient(process.env, 'typescript'), '@hindsight/client', folder);
    site = createServer(({ url = '/' }, answer) => {
      const file = /^\/client\/([a-z/-]+\.js)$/.exec(url)?.[1];
      answer.setHeader('content-type', file === undefined ? 'text/html' : 'text/javascript');
      answer.end(
        file === undefined ? '<!doctype html><title>A page</title>' : readFileSync(join(place, file)),
      );
    }).listen(0, '127.0.0.1');
    await once(site, 'listening');
    hindsight = await sharedHindsight(process.env);
  });
  afterAll(async () => {
    site?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('reads a balance, streams a snapshot, and names an error', async () => {
    const { page } = reader();
    const key = await makeFastKey(hindsight.dataDir);
    await page.goto(`http://localhost:${(site.address() as AddressInfo).port}/`);
    const values = `const [KEY, API, USDC] = ${JSON.stringify([key, hindsight.url, USDC])};`;
    expect(await page.evaluate(`(async () => { ${values} ${PROGRAM} })()`)).toEqual({
      balance: '4550227500',
      type: 'bigint',
      rows: 301,
      sum: '4550227500',
      fault: 'NotFound',
      code: expect.stringMatching(/^[a-z_]+$/),
    });
  });
});
