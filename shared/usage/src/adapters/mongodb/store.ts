import { recordKey } from '../../calendar.ts';
import type { MongoStore } from '@hindsight/stores/mongodb.ts';
import type { MonthUsage, UsageStore } from '../../ports.ts';
import { apply } from './counting.ts';
import { monthOf, USAGE_PROJECTION } from './counters.ts';
import { inRounds, runOn, type Collections } from './documents.ts';
import { release, take } from './leases.ts';
import { closeProducer } from './producers.ts';
import { audit, coverOverdrawn, forgetProducers, pruneProducers, settle } from './upkeep.ts';

/** Usage in MongoDB, by updates of single documents; its indexes are `USAGE_INDEXES`. */
export function createMongodbUsage(store: MongoStore): UsageStore {
  const run = runOn(store);
  return {
    take: (request) => inRounds(() => run((collections) => take(collections, request))),
    release: async (releases) => {
      const done = await Promise.all(releases.map((one) => run((collections) => release(collections, one))));
      return done.flatMap((one) => one ?? []);
    },
    closeProducer: (producer) => closeProducer(run, producer),
    apply: (records) => apply(run, records),
    audit: (month, after, limit) => run((collections) => audit(collections, month, after, limit)),
    settle: (before, limit) => run((collections) => settle(collections, before, limit)),
    coverOverdrawn: (month) => coverOverdrawn(run, month),
    async tidyProducers({ months, closedMs, endedMs }) {
      const pruned = await pruneProducers(run, months, closedMs);
      const forgotten = await run((collections) => forgetProducers(collections, endedMs));
      return { pruned, forgotten };
    },
    read: (project, month) => run((collections) => read(collections, recordKey({ project, month }))),
  };
}

async function read({ usage }: Collections, _id: string): Promise<MonthUsage> {
  return monthOf((await usage.findOne({ _id }, { projection: USAGE_PROJECTION })) ?? {});
}
