import type { Clock } from '@hindsight/kernel/clock.ts';
import { describe, expect, it } from '@jest/globals';
import { CopiedCounters } from './copied-counters.ts';
import { ledgerCounters } from './ledger-counters.ts';
import type { FoundCopy, RevisedMonth } from './ports.ts';

const MONTH = '2026-11';
/** Time of every reading from the ledger: later than all that is counted. */
const READ_AT = 9_000;

function month(revision: number): RevisedMonth {
  return {
    project: 'p',
    month: MONTH,
    revision,
    asOf: READ_AT,
    requests: revision,
    orders: 0,
    taken: 0,
    days: {},
  };
}

/** Reads, one after the other, of what the copy and the ledger have at the time. */
function readsOf(
  ledger: { revision: number; countedTo: number | undefined },
  clock: Clock = { now: () => READ_AT },
) {
  let copied: FoundCopy;
  const counters = new CopiedCounters({
    copy: { find: async () => copied, put: async () => undefined },
    records: { readMany: async () => [month(ledger.revision)] },
    progress: { countedTo: async () => ledger.countedTo },
    clock,
    onRefill: () => undefined,
    onFailure: () => undefined,
    onSuccess: () => undefined,
  });
  return (revision: number | undefined, countedTo: number | undefined) => {
    copied = { epoch: 1, countedTo, month: revision === undefined ? undefined : month(revision) };
    return counters.read('p', MONTH);
  };
}

describe('counters of a copy', () => {
  it('are put there only in the epoch in which it was vouched for', async () => {
    const put: unknown[] = [];
    let epoch = undefined as number | undefined;
    const counters = new CopiedCounters({
      copy: {
        find: async () => ({ epoch, countedTo: undefined, month: undefined }),
        put: async (_months, of) => void put.push(of),
      },
      records: { readMany: async () => [month(1)] },
      progress: { countedTo: async () => 1_000 },
      clock: { now: () => READ_AT },
      onRefill: () => undefined,
      onFailure: () => undefined,
      onSuccess: () => undefined,
    });
    await counters.read('p', MONTH);
    epoch = 7;
    await counters.read('p', MONTH);
    expect(put).toEqual([7]);
  });

  it('are filled by epoch, and a copy that takes nothing fails no reader', async () => {
    const [put, refilled]: [unknown[], number[]] = [[], []];
    const told = { failures: 0, successes: 0 };
    const counters = new CopiedCounters({
      copy: {
        find: async ({ project }) => ({ epoch: Number(project), countedTo: undefined, month: undefined }),
        async put(months, epoch) {
          if (epoch === 9) throw new Error('it takes nothing');
          put.push([months.map(({ project }) => project), epoch]);
        },
      },
      records: { readMany: async (records) => records.map((one) => ({ ...month(1), ...one })) },
      progress: { countedTo: async () => 1_000 },
      clock: { now: () => READ_AT },
      onRefill: (records) => void refilled.push(records),
      onFailure: () => void (told.failures += 1),
      onSuccess: () => void (told.successes += 1),
    });
    // The first is read alone, the others together.
    await Promise.all(['1', '2', '3', '9'].map((project) => counters.read(project, MONTH)));
    expect(refilled).toEqual([1, 3]);
    expect(put).toEqual([['1'], ['2'], ['3']].map((projects) => [projects, Number(projects[0])]));
    expect(told).toEqual({ failures: 1, successes: 3 });
  });

  it('are remembered for the projects that were read last', async () => {
    const copied = new Map<string, RevisedMonth>();
    const counters = new CopiedCounters({
      copy: {
        find: async ({ project }) => ({ epoch: 1, countedTo: 1, month: copied.get(project) ?? month(1) }),
        put: async () => undefined,
      },
      records: { readMany: async () => [month(2)] },
      progress: { countedTo: async () => 1 },
      clock: { now: () => READ_AT },
      onRefill: () => undefined,
      onFailure: () => undefined,
      onSuccess: () => undefined,
    });
    copied.set('p', month(2));
    await counters.read('p', MONTH);
    copied.delete('p');
    expect(await counters.read('p', MONTH)).toMatchObject({ from: 'ledger' });
    for (let n = 0; n < 10_000; n++) await counters.read(`p${n}`, MONTH);
    expect(await counters.read('p', MONTH)).toMatchObject({ from: 'copy' });
  });

  it('are those of the ledger while the copy does not say up to when all is counted', async () => {
    const read = readsOf({ revision: 1, countedTo: 1_000 });
    expect(await read(1, undefined)).toMatchObject({ asOf: 1_000, from: 'ledger' });
    expect(await read(1, 1_000)).toMatchObject({ asOf: 1_000, from: 'copy' });
  });

  it('are as of the time of the reading where the ledger does not say it either, until it does', async () => {
    const ledger: Parameters<typeof readsOf>[0] = { revision: 1, countedTo: undefined };
    const read = readsOf(ledger);
    expect(await read(1, undefined)).toMatchObject({ asOf: READ_AT });
    ledger.countedTo = 1_000;
    expect(await read(1, undefined)).toMatchObject({ asOf: 1_000 });
  });

  it('are not as of an earlier moment than those that the ledger gave', async () => {
    const read = readsOf({ revision: 2, countedTo: 2_000 });
    expect(await read(undefined, 1_000)).toMatchObject({ asOf: 2_000, from: 'ledger' });
    expect(await read(2, 1_000)).toMatchObject({ asOf: 2_000, from: 'copy' });
    expect(await read(3, 3_000)).toMatchObject({ asOf: 3_000, from: 'copy' });
  });

  it('are not as of a moment to come, which a process with its clock ahead has noted', async () => {
    let now = READ_AT;
    const [ahead, clock] = [READ_AT + 600_000, { now: () => now }];
    const read = readsOf({ revision: 1, countedTo: ahead }, clock);
    expect(await read(undefined, ahead)).toMatchObject({ asOf: READ_AT, from: 'ledger' });
    expect(await read(2, ahead)).toMatchObject({ asOf: READ_AT, from: 'copy' });
    now += 60_000;
    expect(await read(3, READ_AT + 1)).toMatchObject({ asOf: READ_AT + 1 });
    const usage = { read: async () => month(1) };
    expect((await ledgerCounters(usage, clock).read('p', MONTH)).asOf).toBe(now);
    expect(
      await ledgerCounters(usage, clock, { countedTo: async () => ahead }).read('p', MONTH),
    ).toMatchObject({
      asOf: now,
    });
  });

  it('are as of what the ledger says once it was put back to an earlier state', async () => {
    const ledger = { revision: 2, countedTo: 2_000 };
    const read = readsOf(ledger);
    await read(undefined, undefined);
    Object.assign(ledger, { revision: 1, countedTo: 1_000 });
    expect(await read(1, 1_000)).toMatchObject({ requests: 1, asOf: 1_000, from: 'ledger' });
    expect(await read(1, 1_000)).toMatchObject({ requests: 1, asOf: 1_000, from: 'copy' });
  });
});
