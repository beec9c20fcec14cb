/** Answers while the stores fail; damaged files serve as the example. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createHttpServer } from '@hindsight/http/server.ts';
import type { HttpServer } from '@hindsight/http/types.ts';
import { randomIds } from '@hindsight/kernel/ids.ts';
import { createLifecycle, type Lifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { createProject } from '@hindsight/projects/create-project.ts';
import { generateKey } from '@hindsight/projects/key.ts';
import { openProjects } from '@hindsight/projects/open.ts';
import { damageSqlite } from '@hindsight/stores/test/support/damage-sqlite.ts';
import { ledgerCounters } from '@hindsight/usage/counters/ledger-counters.ts';
import { openUsage } from '@hindsight/usage/open.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CachedProjects } from '../src/keys/cached-projects.ts';
import { BurstLimiter } from '../src/limits/burst-limiter.ts';
import { GuessGuard } from '../src/keys/guess-guard.ts';
import { addUsageRoute } from '../src/routes/usage.ts';

const FRESH_MS = 60_000;

let time: number;
let dataDir: string;
let lifecycle: Lifecycle;
let app: HttpServer;
let key: string;

beforeEach(async () => {
  time = Date.UTC(2026, 10, 21, 12);
  dataDir = mkdtempSync(join(tmpdir(), 'hindsight-failing-store-'));
  const logger = createLogger({ name: 'test', level: 'silent' });
  lifecycle = createLifecycle(logger);
  const clock = { now: () => time };
  const deps = { clock, ids: randomIds, lifecycle, logger };
  const { projects } = await openProjects({ dataDir, secret: 'a secret of the test' }, deps);
  const { usage } = await openUsage({ dataDir }, lifecycle);
  ({ key } = await createProject({ projects, ...deps }, { name: 'test', plan: 'free' }));
  app = createHttpServer({ ...deps, checks: [] });
  const authentication = {
    projects: new CachedProjects(projects, clock),
    guard: new GuessGuard(clock),
    uses: { note: () => undefined },
    clock,
  };
  addUsageRoute(app, {
    authentication,
    burst: new BurstLimiter(clock),
    quota: { leftOf: () => undefined },
    counters: ledgerCounters(usage, clock),
    clock,
  });
  lifecycle.onStop('server', () => app.close());
});

afterEach(async () => {
  await lifecycle.shutdown('end of test');
  rmSync(dataDir, { recursive: true });
});

const ask = async (of: string) => {
  const { statusCode, headers, body } = await app.inject({ url: '/v1/usage', headers: { 'x-api-key': of } });
  const { message } = JSON.parse(body) as { message?: string };
  return { statusCode, message, retryAfter: headers['retry-after'] };
};
const away = (message: string) => ({ statusCode: 503, message, retryAfter: '2' });

describe('a store that answers with errors', () => {
  it('of keys: known keys keep working, others get a 503', async () => {
    expect(await ask(key)).toMatchObject({ statusCode: 200 });
    damageSqlite(join(dataDir, 'hindsight.db'));
    time += FRESH_MS;
    expect(await ask(key)).toMatchObject({ statusCode: 200 });
    expect(await ask(generateKey())).toEqual(away('Keys cannot be checked at the moment.'));
  });

  it('of usage: a 503', async () => {
    damageSqlite(join(dataDir, 'usage.db'));
    expect(await ask(key)).toEqual(away('Usage cannot be read at the moment.'));
  });
});
