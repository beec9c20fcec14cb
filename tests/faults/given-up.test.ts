/** A gateway whose life was given up, although it lives: it ends, and its next life serves. */
import { openUsage } from '@hindsight/shared/usage/open.ts';
import { createLifecycle } from '@hindsight/shared/lifecycle.ts';
import { createLogger } from '@hindsight/shared/logger.ts';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { runAdmin } from '../support/admin.ts';
import { runService, type RunningService } from '../support/service-process.ts';

/** A lane is renewed every 30 s; a busy machine takes its time. */
const NOTICED_WITHIN_MS = 150_000;

const folder = mkdtempSync(join(tmpdir(), 'hindsight-given-up-'));
const lifecycle = createLifecycle(createLogger({ name: 'test', level: 'silent' }));
const upstream = createServer((_, response) => response.end('{}'));
const started: RunningService[] = [];
let settings: Record<string, string>;
let key: string;

const startGateway = async (): Promise<RunningService> => {
  const gateway = await runService('gateway', settings);
  started.push(gateway);
  return gateway;
};
const statusOf = async ({ url }: RunningService): Promise<number> => {
  const headers = { 'x-api-key': key };
  const response = await fetch(`${url}/v1/eth-mainnet/balance/single`, { headers });
  await response.text();
  return response.status;
};

beforeAll(async () => {
  await new Promise<void>((listening) => upstream.listen(0, '127.0.0.1', listening));
  const service = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
  settings = {
    ...{ DATA_DIR: folder, SECRETS_KEY: 'a secret of some length' },
    ...{ BALANCE_URL: service, TOKENS_URL: service, ORDERS_URL: service },
  };
  const words = ['project', 'create', '--name', 'Ada', '--plan', 'free', '--json'];
  const { stdout } = await runAdmin(settings, ...words);
  ({ key } = JSON.parse(stdout) as { key: string });
});

afterAll(async () => {
  await Promise.all(started.map((gateway) => gateway.end('SIGKILL')));
  upstream.closeAllConnections();
  upstream.close();
  await lifecycle.shutdown('end of test');
  rmSync(folder, { recursive: true, force: true });
});

it('ends with 1 and a line that says why; started again it has a lane of its own', async () => {
  const { usage } = await openUsage({ dataDir: folder }, lifecycle);
  const gateway = await startGateway();
  expect(await statusOf(gateway)).toBe(200);
  const [first] = await usage.openLanes(10);
  expect(await usage.giveUpLane(first!.lane, 0)).toMatchObject({ outcome: 'given up', records: 1 });

  const code = await Promise.race([gateway.ended, sleep(NOTICED_WITHIN_MS, 'it goes on', { ref: false })]);
  expect(code).toBe(1);
  // Two last words follow each other, in no order; as text, so that a failure shows all that it said.
  expect(gateway.output()).toMatch(
    new RegExp(`"level":"fatal".*"lane":"${first!.lane}".*given up: it was taken for dead"`),
  );

  const next = await startGateway();
  expect(await statusOf(next)).toBe(200);
  const lanes = await usage.openLanes(10);
  expect(lanes.map(({ lane }) => lane)).not.toContain(first!.lane);
  expect(lanes).toHaveLength(1);
}, 400_000);
