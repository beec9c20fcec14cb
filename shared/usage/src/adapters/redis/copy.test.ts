import { expect, it } from '@jest/globals';
import type { RedisStore } from '@hindsight/stores/redis.ts';
import type { RevisedMonth } from '../../counters/ports.ts';
import { RedisCopy } from './copy.ts';

const RECORD = { project: 'p', month: '2026-11' };
const COUNTERS = { requests: 3, orders: 1, units: 9, days: { '2026-11-01': { token: 3 } } };

/** A server that has these strings and one hash, and gives these answers to the script that vouches. */
function redisWith(
  found: { readonly strings?: (string | null)[]; readonly hash?: readonly (string | null)[] } | Error,
  answers: readonly (readonly [epoch: string, server: string, now: string, taken: number])[] = [],
) {
  const runs: number[] = [];
  const said: unknown[][] = [];
  const client = {
    mget: async () => (found instanceof Error ? Promise.reject(found) : found.strings),
    hmget: async () => (found instanceof Error ? [] : found.hash),
  };
  const store = {
    run: (work: (of: typeof client) => Promise<unknown>) => work(client),
    scripts: () => async (some: readonly unknown[]) => void runs.push(some.length),
    script: () => async (_keys: unknown, args: unknown[]) => answers[said.push(args) - 1],
    identity: async () => 'of the cluster',
  };
  return { copy: new RedisCopy(store as unknown as RedisStore), runs, said };
}

it('believes a copy of the epoch that is vouched for, and no other', async () => {
  const hash = ['5', '7', '1000', JSON.stringify(COUNTERS)];
  const { units: taken, ...counted } = COUNTERS;
  const month = { ...RECORD, ...counted, taken, revision: 5, asOf: 1_000 };
  expect(await redisWith({ strings: ['7', '2000'], hash }).copy.find(RECORD)).toEqual({
    ...{ epoch: 7, countedTo: 2_000, month },
  });
  expect(await redisWith({ strings: ['7', null], hash }).copy.find(RECORD)).toEqual({
    ...{ epoch: 7, countedTo: undefined, month },
  });
  for (const [vouched, others] of [
    [null, hash],
    ['8', hash],
    ['7', [null, null, null, null]],
    // Another program has written it.
    ['7', ['5', '7', '1000', '{']],
    ['7', ['5', '7', '1000', null]],
  ] as const)
    expect(await redisWith({ strings: [vouched, null], hash: others }).copy.find(RECORD)).toEqual({
      epoch: vouched === null ? undefined : Number(vouched),
      countedTo: undefined,
      month: undefined,
    });
});

it('knows of nothing while the server does not answer; who compares hears of it', async () => {
  const { copy } = redisWith(new Error('no answer'));
  expect(await copy.find(RECORD)).toEqual({ epoch: undefined, countedTo: undefined, month: undefined });
  await expect(copy.findMany([RECORD])).rejects.toThrow('no answer');
});

it('stores 500 at a time', async () => {
  const { copy, runs } = redisWith({});
  const { units: taken, ...counted } = COUNTERS;
  const month: RevisedMonth = { ...RECORD, ...counted, taken, revision: 1, asOf: 1 };
  await copy.put(Array<RevisedMonth>(1_001).fill(month), 7);
  expect(runs).toEqual([500, 500, 1]);
});

it('vouches until a moment by the server’s time, which it has to learn first', async () => {
  const { copy, said } = redisWith({}, [
    ['7', 'a', '90000', 0],
    ['7', 'a', '90010', 1],
    ['7', 'a', '91000', 1],
  ]);
  expect(await copy.vouch(undefined, 5)).toEqual({ number: 7, server: 'a' });
  expect(said.map(([epoch, server]) => [epoch, server])).toEqual([
    [0, ''],
    [7, 'a'],
  ]);
  expect(said[1]).toEqual([7, 'a', expect.any(Number), 3_000, 5, 'of the cluster']);
  // Three seconds from the server's last answer, and the time that has passed here.
  expect(said[1]![2]).toBeGreaterThanOrEqual(93_000);
  expect(await copy.vouch({ number: 7, server: 'a' })).toEqual({ number: 7, server: 'a' });
  expect(said[2]).toEqual([7, 'a', expect.any(Number), 3_000, '', 'of the cluster']);
});

it('fails where the server comes too late to the word twice', async () => {
  const late = ['7', 'a', '90000', 0] as const;
  const { copy, said } = redisWith({}, [late, late]);
  await expect(copy.vouch({ number: 7, server: 'a' })).rejects.toThrow('too late');
  expect(said).toHaveLength(2);
});
