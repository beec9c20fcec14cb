import { expect, it } from '@jest/globals';
import { createTelemetry } from '@hindsight/kernel/telemetry/telemetry.ts';
import { reportLag } from './consumer-lag.ts';

it('says what waits in each topic that the bus answers about', async () => {
  const telemetry = createTelemetry('metering');
  let answers = true;
  const partition = { partition: 0, next: 1n, end: 4n, waiting: 3 };
  reportLag(
    {
      async progress(_group, topic) {
        if (topic === 'orders.received' || !answers) throw new Error('no broker answers');
        return [partition, { ...partition, partition: 1, waiting: 4 }];
      },
    },
    telemetry,
  );
  const read = async () =>
    (await telemetry.metricsText()).match(/^hindsight_bus_consumer_lag\w*\{.*/gm) ?? [];
  const samples = await read();
  expect(samples).toHaveLength(1);
  expect(samples[0]).toMatch(/group_name="metering".*destination_name="usage\.recorded".* 7$/);
  // The number from before is not repeated.
  answers = false;
  expect(await read()).toEqual([]);
  await telemetry.stop();
});
