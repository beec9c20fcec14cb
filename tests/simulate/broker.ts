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
const BEAT_MS = 3_000;
/** Share of members taken for dead that join again with their next heartbeat, not a later one. */
const BACK_SHARE = 0.5;
const FETCHED_AT_ONCE = 500;

interface Member {
  readonly id: string;
  readonly process: Process;
  readonly topics: readonly string[];
  readonly wake: () => void;
}

class Group {
  /** All that have joined and not left, the ones taken for dead among them. */
  readonly joined = new Set<Member>();
  /** Members, with the time of their last heartbeat. */
  readonly members = new Map<Member, number>();
  readonly #next = new Map<string, number[]>();

  /** The offsets, by partition, behind which all is committed. */
  nextOf(topic: string): number[] {
    return getOrAdd(this.#next, topic, () => partitionsOf(topic).map(() => 0));
  }

  /** Partitions are reassigned whenever a member comes or goes. */
  ownerOf(of: Partition): string | undefined {
    const members = [...this.members.keys()].filter(({ topics }) => topics.includes(of.topic));
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
  readonly #records = new Map<string, StoredRecord[][]>();
  readonly #groups = new Map<string, Group>();
  #members = 0;

  constructor(machine: Machine, network: Network) {
    this.#machine = machine;
    this.#network = network;
    this.#hearBeats();
  }

  /** All records of a topic, partition by partition. */
  recordsOf(topic: string): StoredRecord[] {
    return this.#logsOf(topic).flat();
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

  /** The records of each partition. */
  #logsOf(topic: string): StoredRecord[][] {
    return getOrAdd(this.#records, topic, () => partitionsOf(topic).map(() => []));
  }

  #groupOf(name: string): Group {
    return getOrAdd(this.#groups, name, () => new Group());
  }

  #append(records: readonly OutgoingRecord[]): void {
    for (const record of records) {
      const { topic, key } = record;
      const logs = this.#logsOf(topic);
      const partition = digestOf(key ?? '') % logs.length;
      const log = logs[partition]!;
      log.push({ ...record, partition, offset: String(log.length) });
    }
    const topics = new Set(records.map(({ topic }) => topic));
    for (const { members } of this.#groups.values()) {
      for (const { topics: wanted, wake } of members.keys())
        if (wanted.some((topic) => topics.has(topic))) wake();
    }
  }

  #progress(group: string, topic: string) {
    const offsets = this.#groupOf(group).nextOf(topic);
    return this.#logsOf(topic).map(({ length: end }, partition) => {
      const next = offsets[partition]!;
      return { partition, next: BigInt(next), end: BigInt(end), waiting: end - next };
    });
  }

  /** Heartbeats of all members, which arrive at once: as calls they would be most of a run's events. */
  #hearBeats(): void {
    const machine = this.#machine;
    const { random, now } = machine;
    const { process } = this.server;
    for (const group of this.#groups.values()) {
      for (const member of group.joined) {
        const isLate = now - (group.members.get(member) ?? -Infinity) > SESSION_MS;
        if (isLate) group.members.delete(member);
        if (!member.process.alive) {
          if (isLate) group.joined.delete(member);
        } else if (this.#network.reaches(member.process, process) && (!isLate || random.chance(BACK_SHARE))) {
          group.members.set(member, now);
        }
        if (group.members.has(member) && this.#fetch(group, member) !== undefined) member.wake();
      }
    }
    machine.after(BEAT_MS, () => this.#hearBeats(), machine.world);
  }

  /** The next records of one of its partitions. */
  #fetch(group: Group, { id, topics }: Member): StoredRecord[] | undefined {
    for (const topic of topics) {
      const offsets = group.nextOf(topic);
      for (const [partition, log] of this.#logsOf(topic).entries()) {
        const next = offsets[partition]!;
        if (next < log.length && group.ownerOf({ topic, partition }) === id)
          return log.slice(next, next + FETCHED_AT_ONCE);
      }
    }
    return undefined;
  }

  #commit(group: Group, member: string, of: Partition, offset: string): void {
    if (group.ownerOf(of) !== member) throw new Error('the partition has passed to another member');
    const offsets = group.nextOf(of.topic);
    offsets[of.partition] = Math.max(offsets[of.partition]!, Number(offset) + 1);
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
    const member: Member = { id, process, topics, wake };
    const join = (): void => {
      group.joined.add(member);
      group.members.set(member, machine.now);
    };
    const leave = (): void => {
      group.joined.delete(member);
      group.members.delete(member);
    };
    const calls = {
      join: () => call(join),
      fetch: () => call(() => this.#fetch(group, member)),
      commit: (of: Partition, offset: string) => call(() => this.#commit(group, id, of, offset)),
      leave: () => call(leave),
    };
    const consumer = new Consumer(machine, calls, onBatch);
    return consumer;
  }
}

function partitionsOf(topic: string): number[] {
  const count = Object.values(TOPICS).find(({ name }) => name === topic)?.partitions ?? 1;
  return Array.from({ length: count }, (_, partition) => partition);
}

function getOrAdd<T>(known: Map<string, T>, name: string, make: () => T): T {
  const found = known.get(name) ?? make();
  known.set(name, found);
  return found;
}
