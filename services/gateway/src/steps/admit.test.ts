import { expect, it } from '@jest/globals';
import { freeProjectByKey } from '@hindsight/projects/test/support/free-project.ts';
import { MonthUsedUp } from '../limits/quota/project-quota.ts';
import { RateLimitStatus } from '../limits/rate-limit-status.ts';
import { admit, type AdmitDeps } from './admit.ts';

const END = Date.UTC(2026, 11, 1);

it('a request that is refused once its month is over is admitted in the next one', async () => {
  const project = freeProjectByKey('one');
  let now = END - 10;
  const quota = {
    leftOf: () => undefined,
    async admit() {
      if (now >= END) return { left: 99_999, units: 1 };
      // The ledger answers after midnight.
      now = END + 200;
      throw new MonthUsedUp(0);
    },
  };
  const deps = { quota, clock: { now: () => now }, spool: { accepting: true } } as unknown as AdmitDeps;
  const begun = { project, address: '127.0.0.1', status: new RateLimitStatus(project, now) };
  const { status } = await admit(deps, begun, 1);
  expect(status.headers().ratelimit).toMatch(/"month";r=99999;t=2678400$/);
});

it.each([
  ['in its month', Date.UTC(2026, 10, 30, 23, 59, 50), Date.UTC(2026, 11, 1), '30'],
  [
    'after the end of the month in which it began',
    Date.UTC(2026, 11, 1, 0, 0, 20),
    Date.UTC(2027, 0, 1),
    '31',
  ],
])(
  'a request whose body has come %s has the limits of the month that refuses it',
  async (_when, now, end, days) => {
    const project = freeProjectByKey('one');
    const status = new RateLimitStatus(project, Date.UTC(2026, 10, 30, 23, 59, 40));
    const admitting = async () => Promise.reject(new MonthUsedUp(2));
    const quota = { admit: admitting, leftOf: () => 2 };
    const deps = { quota, clock: { now: () => now }, spool: { accepting: true } } as unknown as AdmitDeps;
    await expect(admit(deps, { project, address: '127.0.0.1', status }, 5)).rejects.toMatchObject({
      code: 'month_exceeded',
      message: expect.stringContaining(`the next month begins at ${new Date(end).toISOString()}`),
      headers: {
        'retry-after': String((end - now) / 1_000),
        'ratelimit-policy': expect.stringContaining(`;w=${Number(days) * 86_400}`),
      },
    });
  },
);
