import { expect, it } from '@jest/globals';
import { startOfDay } from './calendar.ts';

it('a day begins where there is one', () => {
  expect(startOfDay('2028-02-29')).toBe(Date.UTC(2028, 1, 29));
  const none = [
    '2026-02-29',
    '2026-02-30',
    '2026-13-01',
    '2026-11',
    '2026-1-1',
    '20261121',
    '+010000-01',
    '2026-11-21T12:00Z',
    'x',
  ];
  for (const text of none) expect(startOfDay(text)).toBeUndefined();
});
