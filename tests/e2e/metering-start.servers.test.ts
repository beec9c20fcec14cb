import { withDatabase } from '@hindsight/tools/servers/mongodb-database.ts';
import { describeOnServers } from '@hindsight/tools/servers/suite.ts';
import { until } from '@hindsight/kernel/test/support/until.ts';
import { afterAll, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isReady } from '../support/is-ready.ts';
import { runService } from '../support/service-process.ts';

const needs = { env: process.env, shared: ['mongodb', 'redis'] } as const;
const MOST_STARTS = 20;
/** As a slow machine does: nothing else happens between the last step of a start and its listening. */
const BLOCKING = `
  import { Server } from 'node:net';
  const { listen } = Server.prototype;
  Server.prototype.listen = function (...address) {
    const end = performance.now() + 1_500;
    while (performance.now() < end);
    return listen.apply(this, address);
  };`;

await describeOnServers('the metering service', needs, ({ mongodb, redis }) => {
  const folder = mkdtempSync(join(tmpdir(), 'hindsight-metering-start-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  /** Starts it, and ends it once it is ready. @returns its log */
  const startBlocked = async (): Promise<string> => {
    const metering = await runService('metering', {
      MONGODB_URL: withDatabase(mongodb.address, `start-${randomUUID()}`),
      REDIS_URL: redis.address,
      DATA_DIR: folder,
      NODE_OPTIONS: `--import=${pathToFileURL(join(folder, 'blocking.mjs')).href}`,
    });
    try {
      await until('it is ready', () => isReady(metering.url));
    } finally {
      await metering.end('SIGTERM');
    }
    return metering.output();
  };

  it('does not take its own start for a failure of Redis', async () => {
    writeFileSync(join(folder, 'blocking.mjs'), BLOCKING);
    let output = await startBlocked();
    // A busy machine may stand still after a start as well; a start that is taken for a failure always is.
    for (let starts = 1; starts < MOST_STARTS && output.includes('Redis'); starts++)
      output = await startBlocked();
    expect(output).toContain('metering listens');
    expect(output).not.toContain('Redis');
  });
});
