import type { BlockCalendar, CalendarEntry } from '../../src/dates/calendar.ts';

/** For tests: a calendar that outlives a search, and its entries. */
export function memoryCalendar(): BlockCalendar & { readonly kept: Map<number, CalendarEntry> } {
  const kept = new Map<number, CalendarEntry>();
  return {
    kept,
    load: async () => [...kept.values()],
    async keep(entries) {
      for (const entry of entries) if (entry.isLast || !kept.has(entry.hour)) kept.set(entry.hour, entry);
    },
    clear: async () => kept.clear(),
  };
}
