/**
 * A model of a Kafka broker, in memory: partitions, consumer groups with sessions, offsets. Its log survives every fault, as
 * records do that a majority has acknowledged. A member that is taken for dead may go on with its batch; its commit is refused.
 */
import type {
  BatchHandler,
  EventLog,
  Joining,
  Membership,
  OutgoingRecord,
  StoredRecord,
} from '@hindsight/bus/log.ts';
import { PublishFailed } from '@hindsight/bus/errors.ts';
import { deadLetterTopic } from '@hindsight/events/topic.ts';
import { TOPICS } from '@hindsight/events/topics.ts';
import { Consumer, type Partition } from './consumer.ts';
import { digestOf } from './machine/digest.ts';
import { Process, type Machine } from './machine/machine.ts';
import type { Network, Server } from './machine/network.ts';

const SESSION_MS = 10_000;
const FETCHED_AT_ONCE = 500;

interface Member {
  readonly id: string;
  readonly topics: readonly string[];
  readonly wake: () => void;
  seenAt: number;
}

class Group {
  readonly members = new Map<string, Member>();
  readonly next = new Map<string, number>();

  /** Partitions are reassigned whenever a member comes or goes. */
  ownerOf(of: Partition): string | undefined {
    const members = [...this.members.values()].filter(({ topics }) => topics.includes(of.topic));
    return members[of.partition % Math.max(members.length, 1)]?.id;
  }
}

/** The server. */
export class Broker {
  readonly server: Server = {
    process: new Process('broker'),
    unavailable: (why) => new PublishFailed(why),
  };
  readonly #machine: Machine;
  readonly #network: Network;
  readonly #records = new Map<string, StoredRecord[]>();
  readonly #groups = new Map<string, Group>();
  #members = 0;

  constructor(machine: Machine, network: Network) {
    this.#machine = machine;
    this.#network = network;
  }

  /** All records of a topic, partition by partition. */
  recordsOf(topic: string): StoredRecord[] {
    return partitionsOf(topic).flatMap((partition) => this.#logOf({ topic, partition }));
  }

  /** All dead letters. */
  get deadLetters(): StoredRecord[] {
    return Object.keys(TOPICS).flatMap((topic) => this.recordsOf(deadLetterTopic(topic)));
  }

  /** True once a group has committed everything of a topic. */
  hasHandledAll(group: string, topic: string): boolean {
    return this.#progress(group, topic).every(({ waiting }) => waiting === 0);
  }

  /** The log for a process, over the network. */
  connect(): EventLog {
    const call = <T>(work: () => T): Promise<T> => this.#network.call(this.server, work);
    return {
      append: (records) => call(() => this.#append(records)),
      join: (joining, onBatch) => this.#join(joining, onBatch, call),
      scan: () => Promise.reject(new Error('nothing scans in a simulation')),
      progress: (group, topic) => call(() => this.#progress(group, topic)),
      check: () => call(() => undefined),
      close: async () => undefined,
    };
  }

  #logOf({ topic, partition }: Partition): StoredRecord[] {
    const name = `${topic}-${partition}`;
    const known = this.#records.get(name) ?? [];
    this.#records.set(name, known);
    return known;
  }

  #groupOf(name: string): Group {
    const known = this.#groups.get(name) ?? new Group();
    this.#groups.set(name, known);
    return known;
  }

  #append(records: readonly OutgoingRecord[]): void {
    for (const record of records) {
      const { topic, key } = record;
      const partition = digestOf(key ?? '') % partitionsOf(topic).length;
      const log = this.#logOf({ topic, partition });
      log.push({ ...record, partition, offset: String(log.length) });
    }
    const topics = new Set(records.map(({ topic }) => topic));
    for (const { members } of this.#groups.values()) {
      for (const { topics: wanted, wake } of members.values())
        if (wanted.some((topic) => topics.has(topic))) wake();
    }
  }

  #progress(group: string, topic: string) {
    return partitionsOf(topic).map((partition) => {
      const end = this.#logOf({ topic, partition }).length;
      const next = this.#groupOf(group).next.get(`${topic}-${partition}`) ?? 0;
      return { partition, next: BigInt(next), end: BigInt(end), waiting: end - next };
    });
  }

  /** A member's heartbeat. @returns true if records wait for it */
  #beat(group: Group, member: Omit<Member, 'seenAt'>): boolean {
    const { now } = this.#machine;
    for (const { id, seenAt } of group.members.values())
      if (now - seenAt > SESSION_MS) group.members.delete(id);
    group.members.set(member.id, { ...member, seenAt: now });
    return this.#fetch(group, member) !== undefined;
  }

  /** The next records of one of its partitions. */
  #fetch(group: Group, { id, topics }: Omit<Member, 'seenAt'>): StoredRecord[] | undefined {
    for (const topic of topics) {
      for (const partition of partitionsOf(topic)) {
        const of = { topic, partition };
        const next = group.next.get(`${topic}-${partition}`) ?? 0;
        const log = this.#logOf(of);
        if (next < log.length && group.ownerOf(of) === id) return log.slice(next, next + FETCHED_AT_ONCE);
      }
    }
    return undefined;
  }

  #commit(group: Group, member: string, of: Partition, offset: string): void {
    if (group.ownerOf(of) !== member) throw new Error('the partition has passed to another member');
    const name = `${of.topic}-${of.partition}`;
    group.next.set(name, Math.max(group.next.get(name) ?? 0, Number(offset) + 1));
  }

  #join(
    { group: groupName, topics }: Joining,
    onBatch: BatchHandler,
    call: <T>(work: () => T) => Promise<T>,
  ): Membership {
    const machine = this.#machine;
    const { process } = machine;
    const group = this.#groupOf(groupName);
    const id = `${process.name}-${++this.#members}`;
    const wake = (): void => void machine.after(this.#network.latency(), () => consumer.wake(), process);
    const member = { id, topics, wake };
    const calls = {
      beat: () => call(() => this.#beat(group, member)),
      fetch: () => call(() => this.#fetch(group, member)),
      commit: (of: Partition, offset: string) => call(() => this.#commit(group, id, of, offset)),
      leave: () => call(() => group.members.delete(id)),
    };
    const consumer = new Consumer(machine, calls, onBatch);
    return consumer;
  }
}

function partitionsOf(topic: string): number[] {
  const count = Object.values(TOPICS).find(({ name }) => name === topic)?.partitions ?? 1;
  return Array.from({ length: count }, (_, partition) => partition);
}
