/** Processes of the metering service on real servers, while they are killed, paused, restarted and doubled: one broker for all. */
import { openBus } from '@hindsight/bus/open.ts';
import { systemClock } from '@hindsight/kernel/clock.ts';
import { randomIds } from '@hindsight/kernel/ids.ts';
import { createLifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { startKafka } from '@hindsight/tools/servers/kafka.ts';
import { describeOnServers } from '@hindsight/tools/servers/suite.ts';
import { afterAll, beforeAll, describe } from '@jest/globals';
import { describeCounting } from './metering/counting.ts';
import { describeTakeover } from './metering/takeover.ts';
import type { World } from './metering/world.ts';

// The metering service's groups have one name everywhere, so this suite starts another broker.
const needs = { env: process.env, shared: ['mongodb'], own: ['kafka'] } as const;

await describeOnServers('metering', needs, ({ mongodb }) => {
  let world: World;

  beforeAll(async () => {
    const kafka = await startKafka();
    const logger = createLogger({ name: 'test', level: 'silent' });
    const lifecycle = createLifecycle(logger);
    const platform = { logger, clock: systemClock, ids: randomIds, lifecycle };
    const { bus } = await openBus({ dataDir: '/nowhere', brokers: [kafka.brokers] }, platform);
    world = { kafka, mongodb: mongodb.address, bus, lifecycle };
  });
  afterAll(async () => {
    await world?.lifecycle.shutdown('end of test');
    await world?.kafka.stop();
  });

  // Its last test lets the groups begin again with all events of the last minutes: it comes first.
  describe('the service', () => describeCounting(() => world));
  describe('two processes', () => describeTakeover(() => world));
});
