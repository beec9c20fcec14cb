/** A member of a group on the embedded bus: sends heartbeats, reads its partitions in turn, delivers batches. */
import type { Logger } from '@hindsight/kernel/logger.ts';
import {
  type BatchHandler,
  type BatchLink,
  LEAVE_WITHIN_MS,
  type Membership,
  type StoredRecord,
} from './log.ts';
import type { GroupMember, Partition } from './sqlite-groups.ts';
import { whenFree } from './sqlite-log.ts';
import { settledWithin } from '@hindsight/kernel/deadline.ts';
import { pause } from '@hindsight/kernel/retry.ts';
import { nextTurn } from '@hindsight/kernel/turns.ts';

interface ConsumerDeps {
  readonly member: GroupMember;
  readonly beatMs: number;
  read(topic: string, partition: number, next: number): StoredRecord[];
  /** Another number after each write to the file. */
  version(): number;
  readonly logger: Logger;
}

const COMMIT_WITHIN_MS = 5_000;
const AFTER_FAILURE_MS = 200;
const POLL_MS = 20;

interface Running {
  readonly partition: Partition;
  readonly lost: AbortController;
}

export function startSqliteMember(deps: ConsumerDeps, onBatch: BatchHandler): Membership {
  const { member, logger } = deps;
  const leaving = new AbortController();
  let held: Partition[] = [];
  let running: Running | undefined;
  const { promise: joined, resolve: hasJoined } = Promise.withResolvers<void>();

  function beat(): void {
    try {
      held = member.beat(running?.partition);
      if (running !== undefined && !held.some((one) => isSame(one, running?.partition))) running.lost.abort();
      hasJoined();
    } catch (err) {
      logger.warn({ err }, 'embedded bus heartbeat failed; retrying');
    }
  }

  async function handle(partition: Partition): Promise<boolean> {
    const records = deps.read(partition.topic, partition.partition, member.next(partition));
    if (records.length === 0) return false;
    const lost = new AbortController();
    const lose = (): void => lost.abort();
    leaving.signal.addEventListener('abort', lose, { once: true });
    running = { partition, lost };
    try {
      await onBatch(records, linkOf(member, partition, lost.signal));
    } finally {
      running = undefined;
      leaving.signal.removeEventListener('abort', lose);
    }
    return true;
  }

  async function round(): Promise<boolean> {
    let worked = false;
    for (const partition of [...held]) {
      if (leaving.signal.aborted) return worked;
      // This partition was released at a heartbeat during the round: it belongs to another member.
      if (!held.some((one) => isSame(one, partition))) continue;
      if (!(await handle(partition))) continue;
      worked = true;
      await nextTurn();
    }
    return worked;
  }

  /** Waits for a write or for the next heartbeat, which may bring other partitions. */
  async function change(known: { version: number; held: Partition[] }): Promise<void> {
    do await pause(POLL_MS, leaving.signal);
    while (!leaving.signal.aborted && known.held === held && known.version === deps.version());
  }

  async function run(): Promise<void> {
    beat();
    const beating = setInterval(beat, deps.beatMs);
    try {
      while (!leaving.signal.aborted) {
        try {
          // Read before the round, so that a write during it is not missed.
          const known = { version: deps.version(), held };
          if (!(await round())) await change(known);
        } catch (err) {
          logger.warn({ err }, 'reading from the embedded bus failed; trying again');
          await pause(AFTER_FAILURE_MS, leaving.signal);
        }
      }
    } finally {
      clearInterval(beating);
      hasJoined();
    }
  }

  const ended = run();
  let left: Promise<void> | undefined;
  async function leave(): Promise<void> {
    leaving.abort();
    const inTime = await settledWithin(ended, LEAVE_WITHIN_MS);
    if (!inTime) logger.warn('a handler did not end in time; its events will be delivered again');
    await whenFree(COMMIT_WITHIN_MS, () => member.leave());
  }
  return { joined, leave: () => (left ??= leave()) };
}

function linkOf(member: GroupMember, partition: Partition, signal: AbortSignal): BatchLink {
  return {
    ...partition,
    signal,
    async commit(offset) {
      const committed = await whenFree(COMMIT_WITHIN_MS, () => member.commit(partition, Number(offset) + 1));
      if (!committed)
        throw new Error(`${partition.topic}-${partition.partition} has passed to another member`);
    },
  };
}

function isSame(one: Partition, other: Partition | undefined): boolean {
  return one.topic === other?.topic && one.partition === other.partition;
}
