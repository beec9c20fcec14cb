/** Opens a server at the source that `find.ts` has chosen. */
import type { SharedName, Source } from './find.ts';
import { withLongWaits } from './mongodb-database.ts';
import type { ServerOptions } from './process.ts';

export interface OpenServer {
  readonly name: SharedName;
  /** As `KAFKA_BROKERS`, `MONGODB_URL`, `REDIS_URL` have it. */
  readonly address: string;
  /** A native `mongodb` is the test server with its limits; elsewhere it is MongoDB itself. */
  readonly source: Exclude<Source['kind'], 'absent'>;
  /** Ends what was started for it; nothing for an address from the environment. */
  stop(): Promise<void>;
}

/** Starts the server if its source asks for that; resolves when it is ready. */
export async function openServer(
  name: SharedName,
  source: Exclude<Source, { kind: 'absent' }>,
  cache?: string,
): Promise<OpenServer> {
  switch (source.kind) {
    case 'environment':
      return { name, source: source.kind, address: source.address, stop: async () => undefined };
    case 'docker': {
      const { startContainer } = await import('./testcontainers.ts');
      const container = await startContainer(name);
      return { name, source: source.kind, ...container };
    }
    case 'native': {
      const started = await startNative(name, cache === undefined ? {} : { cache });
      return { name, source: source.kind, ...started };
    }
  }
}

/** Each server's module brings its client library: loaded only when it is wanted. */
async function startNative(
  name: SharedName,
  options: ServerOptions,
): Promise<Pick<OpenServer, 'address' | 'stop'>> {
  switch (name) {
    case 'kafka': {
      const server = await (await import('./kafka.ts')).startKafka(options);
      return { address: server.brokers, stop: () => server.stop() };
    }
    case 'mongodb': {
      const server = await (await import('./mongodb.ts')).startMongodb(options);
      return { address: withLongWaits(server.url), stop: () => server.stop() };
    }
    case 'redis': {
      const server = await (await import('./redis.ts')).startRedis(options);
      return { address: server.url, stop: () => server.stop() };
    }
  }
}
