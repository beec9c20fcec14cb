/** Planted faults. The checker must find each: one that never finds anything proves nothing. */
import type { EventLog } from '@hindsight/bus/log.ts';
import type { UsageStore } from '@hindsight/usage/ports.ts';
import type { Random } from './machine/random.ts';

/** A fault in one of the ports. */
export interface Plant {
  readonly usage?: (usage: UsageStore, random: Random) => UsageStore;
  readonly log?: (log: EventLog, random: Random) => EventLog;
}

/** Share of calls with the fault: rare enough that the services notice nothing. */
const SHARE = 0.2;

export const PLANTS: Readonly<Record<string, Plant>> = {
  // Breaks the promise that acknowledged usage is counted.
  'lost-record': {
    log: (log, random) => ({
      ...log,
      append: (records) =>
        log.append(records.filter(({ topic }) => topic !== 'usage.recorded' || !random.chance(SHARE))),
    }),
  },
  // Breaks the promise that each order is published.
  'lost-order': {
    log: (log, random) => ({
      ...log,
      append: (records) =>
        log.append(records.filter(({ topic }) => topic !== 'orders.received' || !random.chance(SHARE))),
    }),
  },
  // Breaks the promise that each order is published under one number.
  'order-twice': {
    log: (log, random) => ({
      ...log,
      append: (records) =>
        log.append(
          records.flatMap((record) =>
            record.topic === 'orders.received' && random.chance(SHARE)
              ? [record, { ...record, headers: { ...record.headers, ce_sequence: '999999999' } }]
              : [record],
          ),
        ),
    }),
  },
  // Breaks the promise that usage delivered twice is counted once.
  'doubled-count': {
    usage: (usage, random) => ({
      ...usage,
      async apply(records) {
        if (random.chance(SHARE))
          await usage.apply(
            records.map((record) => ({
              ...record,
              producers: record.producers.map((one) => ({ ...one, producer: random.uuid() })),
            })),
          );
        return usage.apply(records);
      },
    }),
  },
  // Breaks the promise that each unit is leased once.
  'over-limit': {
    usage: (usage) => ({
      ...usage,
      async take(request) {
        const lease = await usage.take(request);
        return lease.unclaimed === 0 ? { ...lease, units: lease.units + 1 } : lease;
      },
    }),
  },
};
