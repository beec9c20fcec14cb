/**
 * A server that speaks MongoDB's protocol (mongo-java-server) where MongoDB itself is not available. It shows
 * writes and their number, not their speed: it has no sessions, no transactions, no change streams and no
 * partial indexes, and scans for ranges and sorts.
 */
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { install } from './install.ts';
import { freePort } from './ports.ts';
import { openDataFolder, type ServerOptions, type ServerProcess, startServer } from './process.ts';

const ANSWER_WITHIN_MS = 2_000;
/**
 * One thread. The server encodes an answer after it has released the collection's lock, from the very
 * document that another connection may be changing: with several threads a reader can get a mix of old and
 * new fields. MongoDB's documents are whole.
 */
const ONE_AT_A_TIME = '-Dio.netty.eventLoopThreads=1';

export interface MongodbOptions extends ServerOptions {
  /**
   * `memory` (default) forgets everything when the process ends; `file` has each write before it is acknowledged, and
   * keeps it over a kill.
   */
  readonly storage?: 'memory' | 'file';
}

export interface MongodbServer extends ServerProcess {
  /** As `MONGODB_URL` has it, without a database. */
  readonly url: string;
}

/** Starts the server; it is ready when it answers a ping of MongoDB's own driver. */
export async function startMongodb(options: MongodbOptions = {}): Promise<MongodbServer> {
  const installed = await install('mongodb', options.cache);
  const data = await openDataFolder('mongodb', options);
  const port = options.port ?? (await freePort());
  const url = `mongodb://127.0.0.1:${port}`;
  const file = options.storage === 'file' ? [join(data.path, 'data.mv')] : [];
  const classPath = [join(installed, 'libs', '*'), installed].join(':');
  const server = await startServer({
    name: 'mongodb',
    command: 'java',
    args: ['-Xmx512m', ONE_AT_A_TIME, '-cp', classPath, 'MongoServerMain', String(port), ...file],
    data,
    probe: () => ping(url),
  });
  return Object.assign(server, { url });
}

async function ping(url: string): Promise<void> {
  const client = new MongoClient(url, {
    serverSelectionTimeoutMS: ANSWER_WITHIN_MS,
    connectTimeoutMS: ANSWER_WITHIN_MS,
    socketTimeoutMS: ANSWER_WITHIN_MS,
  });
  try {
    await client.connect();
    await client.db('admin').command({ ping: 1 });
  } finally {
    await client.close();
  }
}
