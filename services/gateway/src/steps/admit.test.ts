import { expect, it } from '@jest/globals';
import { freeProjectByKey } from '@hindsight/projects/test/support/free-project.ts';
import { MonthUsedUp } from '../limits/quota/project-quota.ts';
import { RateLimitStatus } from '../limits/rate-limit-status.ts';
import { admit, type AdmitDeps } from './admit.ts';

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
