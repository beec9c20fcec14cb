import { afterAll, expect, it } from '@jest/globals';
import { describeOnServers } from '@hindsight/tools/servers/suite.ts';
import type { Consumer, Kafka } from 'kafkajs';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { until, untilItWorks } from '@hindsight/kernel/test/support/until.ts';
import { createKafkaClient } from '../src/kafka-client.ts';
import { startKafkaMember } from '../src/kafka-consumer.ts';
import type { BatchHandler, Membership } from '../src/log.ts';

/** Longer than joining takes on a busy machine. */
const STILL_MS = 10_000;

await describeOnServers('a consumer that is stuck', { env: process.env, shared: ['kafka'] }, ({ kafka }) => {
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  const logger = createLogger({ name: 'test', level: 'warn', destination });
  const client = createKafkaClient(kafka.address.split(','), logger);
  const members: Membership[] = [];

  afterAll(() => Promise.all(members.map((member) => member.leave())));

  /** The topic is there once a member has made it. */
  async function publish(topic: string): Promise<void> {
    const producer = client.producer();
    await producer.connect();
    const messages = [{ key: 'a', value: 'something' }];
    await untilItWorks('it is published', () => producer.send({ topic, messages }));
    await producer.disconnect();
  }

  function join(through: Kafka, topic: string, onBatch: BatchHandler): void {
    const prepare = async (): Promise<void> => {
      const admin = client.admin();
      await admin.connect();
      await admin.createTopics({ topics: [{ topic }] });
      await admin.disconnect();
    };
    const wanted = { group: `standstill-${randomUUID()}`, topics: [topic], maxBatch: 10 };
    const settings = { sessionTimeoutMs: 30_000, heartbeatMs: 5_000, stillMs: STILL_MS, prepare, logger };
    members.push(startKafkaMember(through, { ...wanted, ...settings }, onBatch));
  }

  /** Resolves when the batch that is being handled is done. Both cases are slow, so they run together. */
  const interrupted = async (): Promise<boolean> => {
    const topic = `standstill-${randomUUID()}`;
    let aborted: boolean | undefined;
    join(client, topic, async (records, link) => {
      await sleep(1.5 * STILL_MS);
      aborted = link.signal.aborted;
      // A group that is slow to form may move on during the first attempt; what stands still interrupts each of them.
      if (aborted) throw new Error('interrupted');
      await link.commit(records.at(-1)!.offset);
    });
    await publish(topic);
    await until('the batch is handled to its end', () => aborted === false);
    return aborted!;
  };

  it('is replaced, unless it is handling a batch', async () => {
    const handling = interrupted();
    let made = 0;
    let read = 0;
    // The first one connects but is never run: it reads nothing, and reports neither a failure nor a fetch.
    const lame = {
      consumer(options: Parameters<Kafka['consumer']>[0]): Consumer {
        const consumer = client.consumer(options);
        return made++ > 0 ? consumer : { ...consumer, run: () => Promise.resolve() };
      },
    } as Kafka;
    const topic = `standstill-${randomUUID()}`;
    join(lame, topic, async (records, link) => {
      read += records.length;
      await link.commit(records.at(-1)!.offset);
    });
    await publish(topic);
    await until('another consumer reads', () => read > 0);
    expect(made).toBeGreaterThan(1);
    expect(lines.join()).toContain('has fetched nothing');
    expect(await handling).toBe(false);
  });
});
