/** The bus on both adapters against kafkajs alone: the cost of envelope, schemas, batching and commits. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startKafka } from '../servers/kafka.ts';
import { createKafkaBus } from '@hindsight/bus/kafka.ts';
import type { EventBus } from '@hindsight/bus/port.ts';
import { createSqliteBus } from '@hindsight/bus/sqlite.ts';
import { systemClock } from '@hindsight/kernel/clock.ts';
import { encodeEvent } from '@hindsight/events/envelope.ts';
import { defineTopic, type EventOf } from '@hindsight/events/topic.ts';
import { randomIds } from '@hindsight/kernel/ids.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { Kafka, logLevel, type Message, Partitioners } from 'kafkajs';
import { z } from 'zod';
import { median } from '../../tests/support/steady-load.ts';

const EVENTS = 30_000;
const ROUNDS = 3;
/** Callers that publish one event at a time; the bus makes batches of them. */
const CALLERS = 1_500;
/** The size of the bus's batches: about 768 KiB. */
const BASELINE_BATCH = 580;
const KEYS = 200;
const TEXT = 'x'.repeat(1_000);

const topic = defineTopic({
  name: 'bench.things',
  keyMeaning: 'thing',
  keyOf: (data) => data.thing,
  events: { seen: z.object({ thing: z.string(), n: z.number(), text: z.string() }) },
  partitions: 4,
  retentionMs: 3_600_000,
  guarantee: 'none',
});
const topics = { [topic.name]: topic };
type Bus = EventBus<typeof topics>;

const event = (n: number): EventOf<typeof topic> => ({
  type: 'seen',
  id: `event-${n}`,
  source: '/bench/1',
  time: 1_700_000_000_000,
  sequence: n,
  data: { thing: `k${n % KEYS}`, n, text: TEXT },
});

/** A contestant; each consume reads everything published so far, in a new group. */
interface Candidate {
  readonly name: string;
  publish(): Promise<void>;
  consume(group: string, count: number): Promise<void>;
  close(): Promise<void>;
}

async function perSecond(count: number, work: () => Promise<void>): Promise<number> {
  const begun = performance.now();
  await work();
  return count / ((performance.now() - begun) / 1_000);
}

function busCandidate(name: string, bus: Bus): Candidate {
  return {
    name,
    async publish() {
      let next = 0;
      const caller = async (): Promise<void> => {
        for (let n = next++; n < EVENTS; n = next++) await bus.publish(topic.name, [event(n)]);
      };
      await Promise.all(Array.from({ length: CALLERS }, caller));
    },
    async consume(group, count) {
      let seen = 0;
      const all = Promise.withResolvers<undefined>();
      const member = await bus.subscribe({ group, topics: [topic.name] }, async (events) => {
        seen += events.length;
        if (seen >= count) all.resolve(undefined);
      });
      await all.promise;
      await member.close();
    },
    close: () => bus.close(),
  };
}

/** kafkajs in handwritten code: the same acks, messages of the same content, one batch at a time. */
async function kafkajsCandidate(brokers: string): Promise<Candidate> {
  const kafka = new Kafka({ brokers: [brokers], logLevel: logLevel.NOTHING });
  const name = 'bench.alone';
  const admin = kafka.admin();
  await admin.connect();
  await admin.createTopics({ topics: [{ topic: name, numPartitions: topic.partitions }] });
  await admin.disconnect();
  const producer = kafka.producer({ idempotent: true, createPartitioner: Partitioners.DefaultPartitioner });
  await producer.connect();
  const { headers } = encodeEvent(topic, event(0));
  const message = (n: number): Message => {
    const { id, sequence, data } = event(n);
    const own = { ...headers, ce_id: id, ce_sequence: String(sequence) };
    return { key: data.thing, value: JSON.stringify(data), headers: own };
  };
  return {
    name: 'kafkajs alone',
    async publish() {
      for (let at = 0; at < EVENTS; at += BASELINE_BATCH) {
        const length = Math.min(BASELINE_BATCH, EVENTS - at);
        const messages = Array.from({ length }, (_, n) => message(at + n));
        await producer.sendBatch({ acks: -1, topicMessages: [{ topic: name, messages }] });
      }
    },
    async consume(group, count) {
      let seen = 0;
      const all = Promise.withResolvers<undefined>();
      const consumer = kafka.consumer({ groupId: group, maxWaitTimeInMs: 500 });
      await consumer.connect();
      await consumer.subscribe({ topics: [name], fromBeginning: true });
      await consumer.run({
        eachBatch: async ({ batch }) => {
          for (const { value } of batch.messages) if (JSON.parse(value?.toString() ?? '')) seen++;
          if (seen >= count) all.resolve(undefined);
        },
      });
      await all.promise;
      await consumer.disconnect();
    },
    close: () => producer.disconnect(),
  };
}

async function measure(candidates: readonly Candidate[]): Promise<void> {
  const rates = candidates.map(() => ({ publish: [] as number[], consume: [] as number[] }));
  // The first round warms up. Taking turns spreads the machine's fluctuations evenly.
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [i, candidate] of candidates.entries()) {
      const published = await perSecond(EVENTS, () => candidate.publish());
      const total = EVENTS * (round + 1);
      const consumed = await perSecond(total, () => candidate.consume(`g${round}`, total));
      if (round > 0) rates[i]?.publish.push(published);
      if (round > 0) rates[i]?.consume.push(consumed);
    }
  }
  const of = (i: number, what: 'publish' | 'consume'): number => median(rates[i]?.[what] ?? []);
  for (const what of ['publish', 'consume'] as const) {
    for (const [i, { name }] of candidates.entries()) {
      const ratio = i === 0 ? 'baseline' : `ratio ${(of(i, what) / of(0, what)).toFixed(2)}`;
      const rate = `${Math.round(of(i, what)).toLocaleString('en')}/s`;
      console.log(`${what.padEnd(8)} ${name.padEnd(16)} ${rate.padStart(12)}  ${ratio}`);
    }
  }
}

/** Runs the benchmark and prints its table. */
export async function run(): Promise<void> {
  const server = await startKafka();
  const folder = await mkdtemp(join(tmpdir(), 'hindsight-bench-'));
  const options = { topics, clock: systemClock, logger: createLogger({ name: 'bench', level: 'error' }) };
  const candidates = [
    await kafkajsCandidate(server.brokers),
    busCandidate('bus on Kafka', createKafkaBus({ ...options, brokers: [server.brokers] })),
    busCandidate(
      'bus on SQLite',
      createSqliteBus({ ...options, path: join(folder, 'bus.sqlite'), ids: randomIds }),
    ),
  ];
  try {
    await measure(candidates);
  } finally {
    await Promise.all(candidates.map((candidate) => candidate.close()));
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  }
}
