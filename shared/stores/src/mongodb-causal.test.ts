/** The order of sessions, which the server that tests can start does not have. */
import { expect, it } from '@jest/globals';
import { Timestamp, type ClientSession, type Db } from 'mongodb';
import { inCausalOrder } from './mongodb-causal.ts';
import type { MongoStore } from './mongodb.ts';

/** A session as the driver has it: an operation moves its times. */
class Session {
  operationTime: Timestamp | undefined;
  clusterTime: unknown;
  hasEnded = false;

  advanceOperationTime(time: Timestamp): void {
    this.operationTime = time;
  }

  advanceClusterTime(time: unknown): void {
    this.clusterTime = time;
  }

  async endSession(): Promise<void> {
    this.hasEnded = true;
  }

  /** The number of the operation whose time it has, in both clocks. */
  get at(): unknown[] {
    return [this.operationTime?.getLowBits(), this.clusterTime];
  }

  execute(number: number): void {
    this.operationTime = new Timestamp({ t: 1, i: number });
    this.clusterTime = `cluster ${number}`;
  }
}

it('a call begins where the furthest one before it has ended, whichever ended last, and failed ones count', async () => {
  const sessions: Session[] = [];
  const store = {
    run: async (work: (db: Db) => Promise<unknown>) => work({} as Db),
    startSession() {
      sessions.push(new Session());
      return sessions.at(-1) as unknown as ClientSession;
    },
  };
  const run = inCausalOrder(store as unknown as MongoStore);
  const begins: unknown[][] = [];
  /** @param until what its answer waits for */
  const execute = (number: number, until?: Promise<void>): Promise<void> =>
    run(async (_db, { session }) => {
      const own = session as unknown as Session;
      begins.push(own.at);
      own.execute(number);
      await until;
    });
  const late = Promise.withResolvers<void>();
  const overtaken = execute(1, late.promise);
  await execute(2);
  late.resolve();
  await overtaken;
  await expect(execute(3, Promise.reject(new Error('no answer')))).rejects.toThrow('no answer');
  await execute(4);
  const none = [undefined, undefined];
  expect(begins).toEqual([none, none, [2, 'cluster 2'], [3, 'cluster 3']]);
  expect(sessions.map(({ hasEnded }) => hasEnded)).toEqual([true, true, true, true]);
});
