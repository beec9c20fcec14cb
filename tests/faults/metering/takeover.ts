/** One of two metering processes dies or hangs: the other one takes over, while Kafka still waits for it. */
import { clientIdOf } from '@hindsight/bus/kafka-client.ts';
import { rounds } from '@hindsight/kernel/test/support/rounds.ts';
import { until, untilItWorks } from '@hindsight/kernel/test/support/until.ts';
import { withDatabase } from '@hindsight/tools/servers/mongodb-database.ts';
import { dayOf } from '@hindsight/usage/calendar.ts';
import { openUsage } from '@hindsight/usage/open.ts';
import type { CountingProgress } from '@hindsight/usage/counting/ports.ts';
import type { UsageStore } from '@hindsight/usage/ports.ts';
import { afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import type { GroupDescription } from 'kafkajs';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { countingGroups } from '../../support/counting-groups.ts';
import { expelMembers } from '../../support/expel-members.ts';
import { runService, type RunningService } from '../../support/service-process.ts';
import type { World } from './world.ts';

const ROUNDS = rounds(2);
/** Longer than a broker keeps a member whose joining was cut off: others learn of none that is not in yet. */
const EACH_ROUND_MS = 240_000;
/** Members that a process has in each group. */
const MEMBERS: Readonly<Record<string, number>> = { metering: 3, 'metering-orders': 1 };
const PATIENT = `--import=${new URL('../../support/patient-broker.ts', import.meta.url).href}`;
/** Each look reads every producer's project. */
const LOOK_EVERY_MS = 200;
/** Enough that each of the six partitions has some. */
const PRODUCERS = 48;
const TAKEN_OVER = 'another process is silent; its partitions are taken over';
const TOO_SLOW = 'a silent process could not be expelled; trying again';

/** To be called in a `describe`. Nothing else counts meanwhile: the service's groups have one name everywhere. */
export function describeTakeover(world: () => World): void {
  const day = dayOf(Date.now());
  const month = day.slice(0, 7);
  const producers = Array.from({ length: PRODUCERS }, () => randomUUID());
  const started: RunningService[] = [];
  let mongodbUrl: string;
  let usage: UsageStore;
  let progress: CountingProgress;
  let sequence = 0;

  beforeAll(async () => {
    const { mongodb, lifecycle } = world();
    mongodbUrl = withDatabase(mongodb, `takeover-${randomUUID()}`);
    ({ usage, progress } = await openUsage({ dataDir: '/nowhere', mongodbUrl }, lifecycle));
  });
  // Kafka keeps members of processes that earlier tests have killed: they must not be taken for those of a new one.
  beforeEach(() =>
    untilItWorks('no member is left', async () => {
      await expelMembers(world().kafka.brokers);
      expect(namesIn(await countingGroups(world().kafka.brokers))).toEqual(new Set());
    }),
  );
  afterEach(() => Promise.all(started.splice(0).map((metering) => metering.end('SIGKILL'))));

  const start = async (): Promise<RunningService> => {
    const metering = await runService('metering', {
      MONGODB_URL: mongodbUrl,
      KAFKA_BROKERS: world().kafka.brokers,
      NODE_OPTIONS: PATIENT,
    });
    started.push(metering);
    return metering;
  };
  /** One event of each producer; each counts on the project of its name. */
  const publish = async (): Promise<void> => {
    sequence++;
    const events = producers.map((lane) => ({
      type: 'usage-recorded' as const,
      id: `${lane}:${sequence}`,
      source: `/gateway/${lane}`,
      time: Date.now(),
      sequence,
      data: { lane, entries: [{ projectId: lane, day, endpoint: 'balance-single', requests: 1 }] },
    }));
    await untilItWorks('it is published', () => world().bus.publish('usage.recorded', events));
  };
  const requests = async (): Promise<number[]> => {
    let found: number[] = [];
    await untilItWorks('the ledger answers', async () => {
      const months = await Promise.all(producers.map((project) => usage.read(project, month)));
      found = months.map((one) => one.requests);
    });
    return found;
  };
  const countedTo = async (): Promise<number> => {
    let to: number | undefined;
    await untilItWorks('the ledger answers', async () => (to = await progress.countedTo()));
    return to ?? 0;
  };
  /** Repeats until all is counted. Events reported as counted must be. @returns the time, by this process */
  const untilCounted = async (publishedAt: number): Promise<number> => {
    let seenAt = NaN;
    await until(
      'everything is counted, and said to be',
      async () => {
        const isSaid = (await countedTo()) > publishedAt;
        const isCounted = (await requests()).every((some) => some >= sequence);
        if (isCounted && Number.isNaN(seenAt)) seenAt = performance.now();
        if (isSaid) expect({ isSaid, isCounted }).toEqual({ isSaid: true, isCounted: true });
        return isSaid;
      },
      EACH_ROUND_MS,
      LOOK_EVERY_MS,
    );
    return seenAt;
  };
  /** Publishes, and waits until that is counted in all partitions. @returns the milliseconds it took */
  const counted = async (): Promise<number> => {
    const begun = performance.now();
    await publish();
    return (await untilCounted(Date.now())) - begun;
  };

  /** Waits for the groups to be so. @returns the names of their members' processes */
  const untilGroups = async (
    what: string,
    are: (groups: readonly GroupDescription[]) => boolean,
  ): Promise<ReadonlySet<string>> => {
    let groups: readonly GroupDescription[] = [];
    const isSo = async (): Promise<boolean> => {
      groups = await countingGroups(world().kafka.brokers).catch(() => []);
      return groups.length > 0 && are(groups);
    };
    await until(what, isSo, EACH_ROUND_MS, LOOK_EVERY_MS);
    return namesIn(groups);
  };
  /** Waits until so many processes, none of which is gone, have joined with all of their members. @returns their names */
  const untilJoined = (processes: number, gone: ReadonlySet<string>): Promise<ReadonlySet<string>> =>
    untilGroups(`${processes} processes have joined`, (groups) => {
      const names = namesIn(groups);
      const areIn = groups.every(
        ({ groupId, state, members }) =>
          state === 'Stable' && members.length === processes * MEMBERS[groupId]!,
      );
      return areIn && names.size === processes && names.isDisjointFrom(gone);
    });

  it.each<[fault: string, strike: (victim: RunningService, name: string, round: number) => Promise<void>]>([
    ['killed', async (victim) => void (await victim.end('SIGKILL'))],
    ['paused', async (victim) => victim.signal('SIGSTOP')],
    [
      'killed while its group rebalances',
      async (victim, name, round) => {
        // All join again, within a heartbeat of each. One that had not yet would leave nothing to take over.
        await expelMembers(world().kafka.brokers);
        await sleep(100 + ((round * 250) % 1_000));
        await untilGroups('it has joined again', (groups) =>
          groups.some(({ members }) => members.some(({ clientId }) => clientId === name)),
        );
        await victim.end('SIGKILL');
      },
    ],
  ])(
    'take over from one that is %s, and count each event once',
    async (fault, strike) => {
      const stoodStill: number[] = [];
      const gone = new Set<string>();
      let survivor = await start();
      for (let round = 0; round < ROUNDS; round++) {
        const alone = await untilJoined(1, gone);
        const victim = await start();
        const [name = ''] = (await untilJoined(2, gone)).difference(alone);
        await counted();
        const timesTakenOver = (): number =>
          takenOverIn(survivor.output()).filter((one) => one === name).length;
        const before = timesTakenOver();
        await strike(victim, name, round);
        stoodStill.push(Math.round(await counted()));
        // It is logged only where Kafka still knew the members; not if Kafka ended them and was too slow to say so.
        await until('it is logged', () => {
          return timesTakenOver() > before || survivor.output().includes(TOO_SLOW);
        });
        if (fault === 'paused') {
          victim.signal('SIGCONT');
          await counted();
        }
        if (round === ROUNDS - 1) break;
        // The next one to be killed has led its groups for longer than its survivor.
        await survivor.end('SIGTERM');
        for (const one of fault === 'paused' ? alone : [...alone, name]) gone.add(one);
        survivor = fault === 'paused' ? victim : await start();
      }
      process.stdout.write(`metering ${fault}: ${JSON.stringify({ stoodStill })}\n`);
      expect(await requests()).toEqual(producers.map(() => sequence));
    },
    EACH_ROUND_MS * (ROUNDS + 2) * 3,
  );

  it('say how far they have counted: no further while none of them lives', async () => {
    const alone = await start();
    await counted();
    await alone.end('SIGKILL');
    await publish();
    const publishedAt = Date.now();
    // Longer than a pass takes, which another process would make each second.
    await sleep(3_000);
    expect(await countedTo()).toBeLessThan(publishedAt);
    await start();
    await untilCounted(publishedAt);
  });
}

/** The processes whose members are in the groups, by their names in Kafka. */
function namesIn(groups: readonly GroupDescription[]): ReadonlySet<string> {
  return new Set(groups.flatMap(({ members }) => members.map(({ clientId }) => clientId)));
}

/** The processes that were taken over from, by their names in Kafka. */
function takenOverIn(output: string): readonly string[] {
  const whole = output.split('\n').slice(0, -1);
  const lines = whole.filter((line) => line.includes(TAKEN_OVER));
  return lines.flatMap((line) => (JSON.parse(line) as { processes: string[] }).processes.map(clientIdOf));
}
