import { expect, it } from '@jest/globals';
import { freeProjectByKey } from '@hindsight/projects/test/support/free-project.ts';
import { RateLimitStatus } from './rate-limit-status.ts';

it('is of the month of each request, though its project is remembered', () => {
  const project = freeProjectByKey('one');
  const windows = [Date.UTC(2026, 10, 30, 23), Date.UTC(2026, 11, 1), Date.UTC(2026, 10, 30)].map((now) => {
    const status = new RateLimitStatus(project, now);
    return [status.terms.month.end, status.headers()['ratelimit-policy']!.split(';w=').at(-1)];
  });
  const [november, december] = [Date.UTC(2026, 11, 1), Date.UTC(2027, 0, 1)];
  expect(windows).toEqual([
    [november, String(30 * 86_400)],
    [december, String(31 * 86_400)],
    [november, String(30 * 86_400)],
  ]);
});
