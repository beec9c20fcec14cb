import type { MongoStore } from '../../../stores/mongodb.ts';
import type { MonthUsage, UsageStore } from '../../ports.ts';
import { apply } from './counting.ts';
import { idOf, inRounds, runOn, type Collections } from './documents.ts';
import { closeLane, giveUpLane, openLanes, renewLane } from './lanes.ts';
import { giveBack, take } from './leases.ts';
import { audit, forgetLanes, pruneLanes, settle } from './upkeep.ts';

/** Usage in MongoDB, by updates of single documents; its indexes are `USAGE_INDEXES`. */
export function createMongodbUsage(store: MongoStore): UsageStore {
  const run = runOn(store);
  return {
    take: (request) => inRounds(() => run((collections) => take(collections, request))),
    giveBack: async (returns) => {
      const done = await Promise.all(returns.map((one) => run((collections) => giveBack(collections, one))));
      return done.flatMap((one) => one ?? []);
    },
    renewLane: (lane) => run((collections) => renewLane(collections, lane)),
    closeLane: (lane) => closeLane(run, lane),
    giveUpLane: (lane, silentMs) => giveUpLane(run, lane, silentMs),
    openLanes: (limit) => run((collections) => openLanes(collections, limit)),
    apply: (records) => apply(run, records),
    audit: (month, after, limit) => run((collections) => audit(collections, month, after, limit)),
    settle: (before, limit) => run((collections) => settle(collections, before, limit)),
    async tidyLanes({ months, closedMs, endedMs }) {
      const pruned = await pruneLanes(run, months, closedMs);
      const forgotten = await run((collections) => forgetLanes(collections, endedMs));
      return { pruned, forgotten };
    },
    read: (project, month) => run((collections) => read(collections, idOf(project, month))),
  };
}

async function read({ usage }: Collections, _id: string): Promise<MonthUsage> {
  const projection = { requests: 1, orders: 1, taken: 1, days: 1 };
  const found = await usage.findOne({ _id }, { projection });
  const { requests = 0, orders = 0, taken = 0, days = {} } = found ?? {};
  return { requests, orders, taken, days };
}
