/** A MongoDB that fails again and again, for the contract suites of its adapters. */
import { faultsInTurn } from '@hindsight/tools/servers/mongodb-faults.ts';
import { startMongodbProxy } from '@hindsight/tools/servers/mongodb-proxy.ts';
import { withDatabase } from '@hindsight/tools/servers/mongodb-database.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { StoreUnavailable } from '../../src/unavailable.ts';

/** The server behind a proxy, all is well at first. */
export interface TroubledMongodb {
  /** A database as reached through the proxy. */
  url(database: string): string;
  /** Lets commands fail while `work` is repeated, until every fault has happened; then all is well again. */
  trouble(work: (round: number) => Promise<void>): Promise<void>;
  close(): Promise<void>;
}

const AGAIN_AFTER_MS = 50;
const MAX_ATTEMPTS = 200;

/** Puts a proxy before a server. */
export async function troubleMongodb(address: string): Promise<TroubledMongodb> {
  const proxy = await startMongodbProxy(address);
  return {
    url: (database) => withDatabase(proxy.url, database),
    async trouble(work) {
      const faults = faultsInTurn();
      proxy.intercept = faults.intercept;
      try {
        for (let round = 0; !faults.happened(); round++) await work(round);
      } finally {
        proxy.intercept = undefined;
      }
    },
    close: () => proxy.close(),
  };
}

/** Repeats work while the store is unavailable. @throws any other error: callers could not tell it from a refusal */
export async function untilDone<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof StoreUnavailable) || attempt === MAX_ATTEMPTS) throw error;
      await sleep(AGAIN_AFTER_MS);
    }
  }
}
