/**
 * The bus on Kafka. It starts without a broker: it connects, and creates its topics, as soon as one answers.
 */
import type { Admin, Kafka } from 'kafkajs';
import type { TopicRegistry } from '@hindsight/events/topic.ts';
import { type BusDeps, createBus } from './create-bus.ts';
import { clientIdOf, createKafkaClient, topicKeeper, type KafkaSecurity } from './kafka-client.ts';
import { startKafkaMember } from './kafka-consumer.ts';
import { expelKafkaMembers } from './kafka-expel.ts';
import { kafkaProgress } from './kafka-progress.ts';
import { createKafkaWriter } from './kafka-producer.ts';
import { scanKafka } from './kafka-scan.ts';
import type { EventLog, Membership } from './log.ts';
import type { Bus } from './port.ts';
import { withDeadline } from '@hindsight/kernel/deadline.ts';

export interface KafkaBusDeps<Registry extends TopicRegistry> extends BusDeps<Registry> {
  /** host:port each, as `KAFKA_BROKERS` has them. */
  readonly brokers: readonly string[];
  /** Neither TLS nor SASL by default. */
  readonly security?: KafkaSecurity | undefined;
  /** Milliseconds that a dead member keeps its partitions; 15 s by default. */
  readonly sessionTimeoutMs?: number;
  /** The name by which other processes may expel the members of this one; none by default. */
  readonly process?: string | undefined;
}

export interface KafkaBus<Registry extends TopicRegistry> extends Bus<Registry> {
  /**
   * Ends the memberships of these processes in these groups without waiting for their sessions to end, so
   * that the rest of a group takes over at once. A live process joins again. Rejects when a broker does not
   * answer.
   * @returns the number of memberships ended
   */
  expel(groups: readonly string[], processes: readonly string[]): Promise<number>;
}

const DEFAULT_SESSION_TIMEOUT_MS = 15_000;
/** A member learns by its heartbeat that another one has left; by default it sends six in a session. */
const HEARTBEAT_MS = 500;
/** Milliseconds of attempts on one batch of events, even after its callers have been rejected. */
const GIVE_UP_AFTER_MS = 30_000;
const CHECK_WITHIN_MS = 1_400;
const EXPEL_WITHIN_MS = 4_000;

export function createKafkaBus<Registry extends TopicRegistry>(
  deps: KafkaBusDeps<Registry>,
): KafkaBus<Registry> {
  const { brokers, logger, security, process } = deps;
  const kafka = createKafkaClient(brokers, logger, security);
  const memberOf =
    process === undefined ? kafka : createKafkaClient(brokers, logger, security, clientIdOf(process));
  return {
    ...createBus(openLog(kafka, memberOf, deps), deps),
    expel: (groups, processes) =>
      withDeadline(
        expelKafkaMembers(kafka, groups, new Set(processes.map(clientIdOf))),
        EXPEL_WITHIN_MS,
        silent,
      ),
  };
}

function openLog(kafka: Kafka, memberOf: Kafka, deps: KafkaBusDeps<TopicRegistry>): EventLog {
  const { logger } = deps;
  const prepare = share(topicKeeper(kafka, deps.topics, logger));
  const writer = createKafkaWriter(kafka, { prepare, giveUpAfterMs: GIVE_UP_AFTER_MS, logger });
  const admin = kafka.admin({ retry: { retries: 0 } });
  const answers = share(() => ask(admin, () => admin.describeCluster()).then(() => undefined));
  const sessionTimeoutMs = deps.sessionTimeoutMs ?? DEFAULT_SESSION_TIMEOUT_MS;
  return {
    append: (records) => writer.append(records),
    join({ partitionsAtOnce, ...joining }, onBatch) {
      const memberDeps = {
        ...joining,
        sessionTimeoutMs,
        heartbeatMs: deps.process === undefined ? sessionTimeoutMs / 6 : HEARTBEAT_MS,
        prepare,
        logger: logger.child({ group: joining.group }),
      };
      // Separate consumers: one reads and decodes while another's batch is being handled.
      return together(
        Array.from({ length: partitionsAtOnce }, () => startKafkaMember(memberOf, memberDeps, onBatch)),
      );
    },
    scan: (scan, take) => prepare().then(() => scanKafka(kafka, scan, take)),
    progress: (group, topic) =>
      withDeadline(
        ask(admin, () => kafkaProgress(admin, group, topic)),
        CHECK_WITHIN_MS,
        silent,
      ),
    check: () => withDeadline(answers(), CHECK_WITHIN_MS, silent),
    async close() {
      admin.disconnect().catch(() => undefined);
      await writer.close();
    },
  };
}

function together(members: readonly Membership[]): Membership {
  return {
    joined: Promise.all(members.map(({ joined }) => joined)).then(() => undefined),
    leave: async () => void (await Promise.all(members.map((member) => member.leave()))),
  };
}

function silent(): Error {
  return new Error('no broker answers');
}

/** Sends a request to a broker. Keeps the connection for the next one, unless it failed. */
async function ask<T>(admin: Admin, question: () => Promise<T>): Promise<T> {
  try {
    await admin.connect();
    return await question();
  } catch (error) {
    await admin.disconnect().catch(() => undefined);
    throw error;
  }
}

/** Concurrent callers share a run. */
function share(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  return () => (running ??= work().finally(() => (running = undefined)));
}
