import { startKafka, type KafkaServer } from '@hindsight/tools/servers/kafka.ts';
import { withDatabase } from '@hindsight/tools/servers/mongodb-database.ts';
import { describeOnServers } from '@hindsight/tools/servers/suite.ts';
import { afterAll, beforeAll } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { describeChangedAlerts } from './changed-alerts.contract.ts';

// The groups have one name everywhere, so this suite starts another broker.
const needs = { env: process.env, shared: ['mongodb'], own: ['kafka'] } as const;

await describeOnServers('changed alerts', needs, ({ mongodb }) => {
  let kafka: KafkaServer;
  beforeAll(async () => {
    kafka = await startKafka();
  });
  afterAll(() => kafka?.stop());

  const mongodbUrl = withDatabase(mongodb.address, `alerts-${randomUUID()}`);
  describeChangedAlerts('MongoDB and Kafka', () => ({
    dataDir: '/nowhere',
    mongodbUrl,
    brokers: [kafka.brokers],
    publishTimeoutMs: 600_000,
  }));
});
