import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { until } from '@hindsight/kernel/test/support/until.ts';
import { Installation } from '../test/installation.contract.ts';
import { startProjectUpkeep } from './upkeep.ts';

const PAUSES = { forgetEveryMs: 20 };

describe('the upkeep of projects', () => {
  let dataDir: string;
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'hindsight-upkeep-'));
  });
  afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

  it('publishes changes and forgets expired keys until the process stops', async () => {
    const place = new Installation({ dataDir });
    const opened = await place.open();
    const published: string[] = [];
    const bus = {
      async publish(_topic: string, events: readonly { readonly type: string }[]): Promise<void> {
        published.push(...events.map(({ type }) => type));
      },
    };
    const logger = createLogger({ name: 'test', level: 'silent' });
    let forgotten = 0;
    const removeExpiredKeys = async (): Promise<number> => {
      const removed = await opened.projects.removeExpiredKeys();
      forgotten += removed;
      return removed;
    };
    startProjectUpkeep(
      { ...opened, projects: { removeExpiredKeys }, bus, logger, ...place.platform },
      PAUSES,
    );
    const { project } = await place.add(opened);
    await opened.projects.rotate(project.id, { graceMs: 1_000 });
    place.clock.time += 1_000;
    await until('both are published', () => published.length >= 2);
    expect(published).toEqual(['created', 'key-rotated']);
    await until('the key is forgotten', () => forgotten >= 1);
    expect(await opened.projects.removeExpiredKeys()).toBe(0);
    const begun = performance.now();
    await place.close();
    expect(performance.now() - begun).toBeLessThan(60_000);
  });

  it('waits at shutdown for the pass under way, and begins no other', async () => {
    const place = new Installation({ dataDir });
    const opened = await place.open();
    const bus = { publish: async (): Promise<void> => undefined };
    const logger = createLogger({ name: 'test', level: 'silent' });
    const pass = Promise.withResolvers<number>();
    let begun = 0;
    const removeExpiredKeys = (): Promise<number> => {
      begun++;
      return pass.promise;
    };
    startProjectUpkeep(
      { ...opened, projects: { removeExpiredKeys }, bus, logger, ...place.platform },
      PAUSES,
    );
    await until('a pass has begun', () => begun === 1);
    let closed = false;
    const closing = place.close().then(() => (closed = true));
    await sleep(200);
    expect(closed).toBe(false);
    pass.resolve(0);
    await closing;
    expect(begun).toBe(1);
  });
});
