/** The driver writes to a socket that is going away, and waits for it without an end; here that is made to happen. */
import { afterAll, afterEach, beforeEach, expect, it } from '@jest/globals';
import { withDatabase } from '@hindsight/deploy/servers/mongodb-database.ts';
import { describeOnServers } from '@hindsight/deploy/servers/suite.ts';
import { randomUUID } from 'node:crypto';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { createLifecycle } from '../lifecycle.ts';
import { createLogger } from '../logger.ts';
import { until } from '../testing/until.ts';
import { openMongodb, type MongoStore } from './mongodb.ts';

const CONNECTIONS = 50;

await describeOnServers(
  'the watch on MongoDB’s driver',
  { env: process.env, shared: ['mongodb'] },
  ({ mongodb }) => {
    const lines: string[] = [];
    const destination = { write: (line: string) => void lines.push(line) };
    const logger = createLogger({ name: 'test', level: 'warn', destination });
    const lifecycle = createLifecycle(logger);
    const sockets = new Set<Socket>();
    let store: MongoStore;

    const remember = (message: unknown): void => {
      const { socket } = message as { socket: Socket };
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
    };
    /** Their `close` comes with the next turn of the event loop: until then the driver takes them for open. */
    const destroyAll = (): void => sockets.forEach((socket) => socket.destroy());
    const answers = async (): Promise<boolean> => {
      try {
        await store.run((db) => db.command({ ping: 1 }));
        return true;
      } catch {
        return false;
      }
    };

    beforeEach(async () => {
      subscribe('net.client.socket', remember);
      const url = withDatabase(mongodb.address, `watch-${randomUUID()}`);
      store = await openMongodb({ url: `${url}?heartbeatFrequencyMS=500` }, [], lifecycle);
    });
    afterEach(() => {
      unsubscribe('net.client.socket', remember);
      lines.length = 0;
      sockets.clear();
    });
    afterAll(() => lifecycle.shutdown('end of test'));

    it('finds the server again when a monitor has written to a socket that was going away', async () => {
      const { client } = store.db;
      let lost = false;
      client.on('serverDescriptionChanged', ({ newDescription }) => {
        if (newDescription.type === 'Unknown') lost = true;
      });
      await new Promise<void>((resolve) => {
        client.once('serverHeartbeatStarted', () => resolve(destroyAll()));
      });
      // An operation that is cut off in the ordinary way: now only the monitor could find the server.
      await until('the server is lost', async () => {
        setImmediate(destroyAll);
        await answers();
        return lost;
      });
      await until('it answers again', answers);
      expect(lines.join()).toContain('connecting anew');
    });

    it('gets connections again when operations have lost them all', async () => {
      const { client } = store.db;
      client.on('connectionCheckedOut', destroyAll);
      await Promise.all(Array.from({ length: CONNECTIONS * 2 }, answers));
      client.off('connectionCheckedOut', destroyAll);
      await until('it answers again', answers);
      expect(lines.join()).toContain('no connection is free');
    });
  },
);
