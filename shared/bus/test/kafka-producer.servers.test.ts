import { afterAll, expect, it } from '@jest/globals';
import { describeOnServers } from '@hindsight/tools/servers/suite.ts';
import type { Kafka, Producer } from 'kafkajs';
import { randomUUID } from 'node:crypto';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { untilItWorks } from '@hindsight/kernel/test/support/until.ts';
import { PublishFailed } from '../src/errors.ts';
import { createKafkaClient } from '../src/kafka-client.ts';
import { createKafkaWriter } from '../src/kafka-producer.ts';

const GIVE_UP_AFTER_MS = 3_000;

await describeOnServers('the writer to Kafka', { env: process.env, shared: ['kafka'] }, ({ kafka }) => {
  const logger = createLogger({ name: 'test', level: 'silent' });
  const client = createKafkaClient(kafka.address.split(','), logger);
  const topic = `writer-${randomUUID()}`;
  const wrote: Producer[] = [];
  // The first one that is written to never acknowledges its records. One that cannot connect is replaced before that.
  const mute = {
    producer(options: Parameters<Kafka['producer']>[0]): Producer {
      const producer = client.producer(options);
      const sendBatch: Producer['sendBatch'] = (batch) => {
        if (!wrote.includes(producer)) wrote.push(producer);
        return wrote[0] === producer ? new Promise(() => undefined) : producer.sendBatch(batch);
      };
      return { ...producer, sendBatch };
    },
  } as Kafka;
  const prepare = async (): Promise<void> => {
    const admin = client.admin();
    await admin.connect();
    await admin.createTopics({ topics: [{ topic }] });
    await admin.disconnect();
  };
  const writer = createKafkaWriter(mute, { prepare, giveUpAfterMs: GIVE_UP_AFTER_MS, logger });
  const record = { topic, key: 'a', value: Buffer.from('something'), headers: {} };

  afterAll(() => writer.close());

  it('writes again after a producer that never acknowledged its records', async () => {
    await expect(writer.append([record])).rejects.toThrow(PublishFailed);
    // A busy broker may take longer than that, too.
    await untilItWorks('it writes', () => writer.append([record]));
    expect(wrote.length).toBeGreaterThan(1);
  });

  it('writes to topics that are there while another one is missing and may not be created', async () => {
    let mayCreate = true;
    const owner = createKafkaWriter(client, {
      prepare: () => (mayCreate ? prepare() : Promise.reject(new Error('not allowed'))),
      giveUpAfterMs: GIVE_UP_AFTER_MS,
      logger,
    });
    await untilItWorks('it writes', () => owner.append([record]));
    mayCreate = false;
    const lost = { ...record, topic: `missing-${randomUUID()}` };
    await expect(owner.append([lost])).rejects.toMatchObject({ name: 'PublishFailed', refused: false });
    await untilItWorks('it writes', () => owner.append([record]));
    await owner.close();
  });
});
