/** Reads a topic of Kafka to its current end, with a consumer that stops there. */
import { randomUUID } from 'node:crypto';
import type { Admin, Consumer, EachBatchPayload, Kafka } from 'kafkajs';
import { GroupInUse } from './errors.ts';
import { CREATES_NO_TOPICS } from './kafka-client.ts';
import { toRecord } from './kafka-consumer.ts';
import { kafkaProgress } from './kafka-progress.ts';
import { LEAVE_WITHIN_MS, type Scan, type TakeRecords } from './log.ts';
import { settledWithin } from '@hindsight/kernel/deadline.ts';

const MAX_WAIT_MS = 500;
/** Time for which a reader that was cut off still counts as one. */
const SESSION_MS = 30_000;

/** Scans. Without a group it reads as a single-use group, which Kafka forgets because it commits nothing. @see EventLog.scan */
export async function scanKafka(kafka: Kafka, scan: Scan, take: TakeRecords): Promise<void> {
  const ends = await asAdmin(kafka, async (admin) => {
    // Joining would make the other one wait.
    if (scan.group !== undefined && (await isInUse(admin, scan.group))) throw new GroupInUse(scan.group);
    return findEnds(admin, scan);
  });
  if (ends.size === 0) return;
  const groupId = scan.group ?? `hindsight-scan-${randomUUID()}`;
  const consumer = kafka.consumer({
    ...CREATES_NO_TOPICS,
    groupId,
    maxWaitTimeInMs: MAX_WAIT_MS,
    sessionTimeout: SESSION_MS,
    retry: { restartOnFailure: () => Promise.resolve(false) },
  });
  const end = Promise.withResolvers<undefined>();
  consumer.on(consumer.events.CRASH, ({ payload }) => end.reject(payload.error));
  // One of two that join at the same time gets the topic, perhaps once the other has read it to its end.
  consumer.on(consumer.events.GROUP_JOIN, ({ payload }) => {
    if (payload.memberAssignment[scan.topic] === undefined) return end.reject(new GroupInUse(groupId));
    if (scan.group === undefined) return;
    asAdmin(kafka, (admin) => findEnds(admin, scan)).then((left) => finish(left.size === 0), end.reject);
  });
  const late = setTimeout(
    () => end.reject(new Error(`${scan.topic} was not read to its end in time`)),
    scan.withinMs,
  );
  const handle = createHandler(consumer, scan, ends, take);
  const started = start(consumer, scan.topic, (payload) => handle(payload).then(finish, end.reject));
  started.catch(end.reject);
  try {
    await end.promise;
  } finally {
    clearTimeout(late);
    // kafkajs leaves no group that it is still joining, and the broker would keep this member in it.
    const left = started.catch(() => undefined).then(() => consumer.disconnect());
    await settledWithin(left, LEAVE_WITHIN_MS);
  }

  function finish(isDone: boolean): void {
    if (isDone) end.resolve(undefined);
  }
}

async function start(
  consumer: Consumer,
  topic: string,
  eachBatch: (payload: EachBatchPayload) => Promise<void>,
): Promise<void> {
  await consumer.connect();
  await consumer.subscribe({ topics: [topic], fromBeginning: true });
  await consumer.run({ autoCommit: false, eachBatch });
}

/** The handler of batches; resolves to whether the scan is done. Batches come one at a time. */
function createHandler(consumer: Consumer, { topic, group }: Scan, ends: Ends, take: TakeRecords) {
  const left = new Map(ends);
  let isDone = false;
  return async ({ batch }: EachBatchPayload): Promise<boolean> => {
    const { partition } = batch;
    const end = left.get(partition);
    if (isDone || end === undefined) return isDone;
    // Reset below only when there is more to come: a failure ends the scan too.
    isDone = true;
    const messages = batch.messages.filter(({ offset }) => BigInt(offset) < end);
    const taken = await take(messages.map((message) => toRecord(topic, partition, message)));
    const behind = messages[taken - 1];
    if (group !== undefined && behind !== undefined) {
      const offset = String(BigInt(behind.offset) + 1n);
      await consumer.commitOffsets([{ topic, partition, offset }]);
    }
    if (taken < messages.length) return true;
    if (BigInt(batch.lastOffset()) + 1n >= end) left.delete(partition);
    isDone = left.size === 0;
    return isDone;
  };
}

/** The offset after the last record, by partition. */
type Ends = ReadonlyMap<number, bigint>;

async function isInUse(admin: Admin, group: string): Promise<boolean> {
  const { groups } = await admin.describeGroups([group]);
  return groups.some(({ members }) => members.length > 0);
}

/** Ends of the partitions that have something to read. */
async function findEnds(admin: Admin, { topic, group }: Scan): Promise<Ends> {
  const partitions = await kafkaProgress(admin, group, topic);
  return new Map(
    partitions.filter(({ waiting }) => waiting > 0).map(({ partition, end }) => [partition, end]),
  );
}

async function asAdmin<T>(kafka: Kafka, work: (admin: Admin) => Promise<T>): Promise<T> {
  const admin = kafka.admin();
  try {
    await admin.connect();
    return await work(admin);
  } finally {
    await admin.disconnect();
  }
}
