import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Kafka, logLevel } from 'kafkajs';
import { type KafkaServer, startKafka } from '../../servers/kafka.ts';
import { describeOnServers } from '../../servers/suite.ts';

const READ_WITHIN_MS = 600_000;

function clientOf(brokers: string): Kafka {
  // As often as a slow machine wants it.
  const retry = { retries: 100, initialRetryTime: 50, maxRetryTime: 1_000 };
  return new Kafka({ brokers: [brokers], logLevel: logLevel.NOTHING, requestTimeout: 2_000, retry });
}

async function createTopic(topic: string, kafka: Kafka): Promise<void> {
  const admin = kafka.admin();
  await admin.connect();
  await admin.createTopics({ topics: [{ topic, numPartitions: 1 }] });
  await admin.disconnect();
}

async function send(kafka: Kafka, topic: string, ...values: string[]): Promise<void> {
  const producer = kafka.producer({ idempotent: true });
  await producer.connect();
  try {
    await producer.send({ topic, acks: -1, messages: values.map((value) => ({ key: 'k', value })) });
  } finally {
    await producer.disconnect();
  }
}

/** Reads a topic from its beginning with a new group until it has this many values. */
async function read(kafka: Kafka, topic: string, count: number): Promise<string[]> {
  const consumer = kafka.consumer({ groupId: `reader-${topic}-${count}` });
  const values: string[] = [];
  try {
    await consumer.connect();
    await consumer.subscribe({ topics: [topic], fromBeginning: true });
    await new Promise<void>((resolve, reject) => {
      const late = setTimeout(() => reject(new Error(`only ${values.length} values came`)), READ_WITHIN_MS);
      const eachMessage = async ({ message }: { message: { value: Buffer | null } }): Promise<void> => {
        values.push(message.value?.toString() ?? '');
        if (values.length < count) return;
        clearTimeout(late);
        resolve();
      };
      consumer.run({ eachMessage }).catch(reject);
    });
  } finally {
    await consumer.disconnect();
  }
  return values;
}

/** Restarts, kills, pauses and cuts by a proxy are in the bus's suite, which loses nothing by them. */
const needs = { env: process.env, own: ['kafka'] } as const;

await describeOnServers('Kafka, started natively', needs, () => {
  let dataDir: string;
  let server: KafkaServer;
  let kafka: Kafka;

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'hindsight-kept-'));
    server = await startKafka({ dataDir });
    kafka = clientOf(server.brokers);
  });
  afterAll(async () => {
    await server?.stop();
    await rm(dataDir, { recursive: true, force: true });
  });

  it('takes a message and gives it to a group', async () => {
    await createTopic('round-trip', kafka);
    await send(kafka, 'round-trip', 'hello');
    expect(await read(kafka, 'round-trip', 1)).toEqual(['hello']);
  });

  it("keeps a caller's data folder for the next start, on other ports too", async () => {
    await createTopic('left', kafka);
    await send(kafka, 'left', 'for later');
    await server.stop();
    server = await startKafka({ dataDir });
    expect(await read(clientOf(server.brokers), 'left', 1)).toEqual(['for later']);
  });
});
