import { beforeEach, describe, expect, it } from '@jest/globals';
import type { BlockCalendar, CalendarEntry } from '@hindsight/chain/dates/calendar.ts';

const hash = (of: number): string => `0x${of.toString(16).padStart(64, '0')}`;
const entry = (hour: number, number: number, isLast: boolean): CalendarEntry => ({
  hour,
  block: { number, hash: hash(number), parentHash: hash(number - 1), timestamp: hour * 3_600 - 12 },
  isLast,
});
const byHour = (entries: readonly CalendarEntry[] | undefined): readonly CalendarEntry[] | undefined =>
  entries?.toSorted((a, b) => a.hour - b.hour);

/** The contract of every calendar of blocks. @param open a network's calendar in the store under test */
export function describeBlockCalendar(open: (network: string) => BlockCalendar): void {
  describe('a calendar of blocks', () => {
    let networks = 0;
    let calendar: BlockCalendar;
    let name: string;
    beforeEach(() => {
      name = `network-${++networks}`;
      calendar = open(name);
    });

    it('is empty at first', async () => {
      expect(await calendar.load()).toEqual([]);
      await calendar.keep([]);
      expect(await calendar.load()).toEqual([]);
    });

    it('returns exactly what was kept, to other openers too', async () => {
      const kept = Array.from({ length: 1_200 }, (_, i) =>
        entry(400_000 + i, 9_000_000 + 300 * i, i % 3 === 0),
      );
      await calendar.keep(kept);
      expect(byHour(await calendar.load())).toEqual(kept);
      expect(byHour(await open(name).load())).toEqual(kept);
    });

    it('keeps the last block of an hour rather than any other', async () => {
      await calendar.keep([entry(1, 10, false), entry(2, 20, true)]);
      await calendar.keep([entry(1, 11, false), entry(2, 19, false)]);
      expect(byHour(await calendar.load())).toEqual([entry(1, 10, false), entry(2, 20, true)]);
      await calendar.keep([entry(1, 12, true)]);
      expect(byHour(await calendar.load())).toEqual([entry(1, 12, true), entry(2, 20, true)]);
    });

    it('keeps networks apart, and forgets one at a time', async () => {
      const other = open(`${name}-other`);
      await calendar.keep([entry(1, 10, true)]);
      await other.keep([entry(1, 99, true)]);
      await calendar.clear();
      expect([await calendar.load(), await other.load()]).toEqual([[], [entry(1, 99, true)]]);
    });
  });
}
