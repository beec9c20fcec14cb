/**
 * Reads in causal order: each sees what its caller has written or read before. A primary that was just elected may for a
 * moment not see writes at read concern `majority` that its predecessor has acknowledged
 * (https://www.mongodb.com/docs/manual/core/read-isolation-consistency-recency/#client-sessions-and-causal-consistency-guarantees).
 */
import type { ClientSession, ClusterTime, Db, Timestamp } from 'mongodb';
import type { MongoStore } from './mongodb.ts';

/** For the options of every operation; empty on a server without sessions. */
export interface InSession {
  readonly session?: ClientSession;
}

/** As `run` of a store, in the order of its calls. Each operation must be given the session. */
export type RunCausally = <T>(work: (db: Db, session: InSession) => Promise<T>) => Promise<T>;

/**
 * Creates one causal order. Calls may overlap. Every call has a separate session, which begins where the
 * earlier ones have ended: sessions end with their connection, and must not have two writes at a time.
 */
export function inCausalOrder(store: MongoStore): RunCausally {
  let operationTime: Timestamp | undefined;
  let clusterTime: ClusterTime | undefined;
  return (work) =>
    store.run(async (db) => {
      const session = store.startSession();
      // A server without sessions is a single node: it sees all that it has acknowledged.
      if (session === undefined) return work(db, {});
      if (operationTime !== undefined) session.advanceOperationTime(operationTime);
      if (clusterTime !== undefined) session.advanceClusterTime(clusterTime);
      try {
        return await work(db, { session });
      } finally {
        // A failed operation may have been executed: its answer has a time, too.
        if (session.operationTime !== undefined && !operationTime?.greaterThan(session.operationTime)) {
          operationTime = session.operationTime;
          clusterTime = session.clusterTime ?? clusterTime;
        }
        await session.endSession();
      }
    });
}
