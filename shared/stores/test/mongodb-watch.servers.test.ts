/** Makes the driver write to a socket that is being closed, and so wait for ever. */
import { afterAll, afterEach, beforeEach, it } from '@jest/globals';
import { withDatabase, withUsualWaits } from '@hindsight/tools/servers/mongodb-database.ts';
import { describeOnServers } from '@hindsight/tools/servers/suite.ts';
import { randomUUID } from 'node:crypto';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { createLifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { until } from '@hindsight/kernel/test/support/until.ts';
import { openMongodb, type MongoStore } from '../src/mongodb.ts';

const CONNECTIONS = 50;
/** More than one wait for a free connection. */
const STARVED_MS = 5_000;

await describeOnServers(
  'the watch on MongoDB’s driver',
  { env: process.env, shared: ['mongodb'] },
  ({ mongodb }) => {
    const lines: string[] = [];
    const destination = { write: (line: string) => void lines.push(line) };
    const logger = createLogger({ name: 'test', level: 'warn', destination });
    const lifecycle = createLifecycle(logger);
    const sockets = { monitor: new Set<Socket>(), pool: new Set<Socket>() };
    let opens: keyof typeof sockets;
    let store: MongoStore;

    const remember = (message: unknown): void => {
      const { socket } = message as { socket: Socket };
      const own = sockets[opens];
      opens = 'monitor';
      own.add(socket);
      socket.once('close', () => own.delete(socket));
    };
    /** Their `close` is emitted in the next turn of the event loop: until then the driver considers them open. */
    const destroy = (own: Set<Socket>): void => own.forEach((socket) => socket.destroy());
    const answers = async (): Promise<boolean> => {
      try {
        await store.run((db) => db.command({ ping: 1 }));
        return true;
      } catch {
        return false;
      }
    };

    const logged = (text: string): boolean => lines.join().includes(text);

    beforeEach(async () => {
      opens = 'monitor';
      subscribe('net.client.socket', remember);
      // The address may have a query already.
      const url = new URL(withUsualWaits(withDatabase(mongodb.address, `watch-${randomUUID()}`)));
      url.searchParams.set('heartbeatFrequencyMS', '500');
      store = await openMongodb({ url: url.href, starvedMs: STARVED_MS }, [], lifecycle);
      const { client } = store.db;
      // The driver announces a connection of its pool, and opens the socket in the same turn.
      client.on('connectionCreated', () => (opens = 'pool'));
      await client.close();
      await client.connect();
    });
    afterEach(() => {
      unsubscribe('net.client.socket', remember);
      lines.length = 0;
    });
    afterAll(() => lifecycle.shutdown('end of test'));

    it('finds the server again after a monitor has written to a socket that was being closed', async () => {
      const { client } = store.db;
      const cutOff = (): void => destroy(sockets.monitor);
      client.on('serverHeartbeatStarted', cutOff);
      await until('it is noticed', () => logged('was asked whether it is there'));
      client.off('serverHeartbeatStarted', cutOff);
      await until('it answers again', answers);
    });

    it('gets connections again after operations have lost them all', async () => {
      const { client } = store.db;
      const cutOff = (): void => destroy(sockets.pool);
      client.on('connectionCheckedOut', cutOff);
      // Operations that were waiting for an answer clear the pool as they fail: not every one of a round is stuck.
      await until('it is noticed', async () => {
        await Promise.all(Array.from({ length: CONNECTIONS + 10 }, answers));
        return logged('no connection is free');
      });
      client.off('connectionCheckedOut', cutOff);
      await until('it answers again', answers);
    });
  },
);
