import { describeOnServers } from '@hindsight/tools/servers/suite.ts';
import { openBus } from '@hindsight/bus/open.ts';
import { systemClock } from '@hindsight/kernel/clock.ts';
import { randomIds } from '@hindsight/kernel/ids.ts';
import { createLifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { runAdmin } from '../support/admin.ts';

const TOPIC = 'projects.changed';
const needs = { env: process.env, shared: ['kafka'] } as const;

await describeOnServers('npm run admin -- dead-letters, on Kafka', needs, ({ kafka }) => {
  it('lists a dead letter and replays its event unchanged', async () => {
    const logger = createLogger({ name: 'test', level: 'silent' });
    const lifecycle = createLifecycle(logger);
    const platform = { logger, clock: systemClock, ids: randomIds, lifecycle };
    const id = randomUUID();
    const at = '2026-11-01T00:00:00.000Z';
    const data = { projectId: id, change: 'suspended' as const, at };
    const event = { type: data.change, id, source: '/test', sequence: 7, time: Date.parse(at), data };
    const admin = async (...words: string[]): Promise<unknown> => {
      const run = await runAdmin({ KAFKA_BROKERS: kafka.address }, 'dead-letters', ...words, '--json');
      expect(run).toMatchObject({ code: 0 });
      return JSON.parse(run.stdout);
    };
    try {
      const { bus } = await openBus({ dataDir: '/nowhere', brokers: kafka.address.split(',') }, platform);
      await bus.publishDeadLetter(TOPIC, event, {
        reason: 'for the test',
        producer: 'tester',
        type: event.type,
      });
      expect(await admin('list', '--topic', TOPIC)).toMatchObject({
        letters: expect.arrayContaining([
          expect.objectContaining({ event: id, group: 'tester', reason: 'for the test', replayable: true }),
        ]),
      });
      const done = { topic: TOPIC, putBack: 1, left: 0 };
      expect(await admin('replay', '--topic', TOPIC, '--id', id)).toEqual(done);
      const seen: unknown[] = [];
      await bus.subscribe({ group: `test-${id}`, topics: [TOPIC] }, async (events) => {
        seen.push(...events.filter((one) => one.id === id));
      });
      for (const end = Date.now() + 600_000; seen.length === 0 && Date.now() < end;) await sleep(50);
      expect(seen).toEqual([expect.objectContaining(event)]);
    } finally {
      await lifecycle.shutdown('end of test');
    }
  });
});
