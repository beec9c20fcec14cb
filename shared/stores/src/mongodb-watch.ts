/**
 * Looks after a client of MongoDB's driver. What the driver writes to a socket that is just going away, it waits for
 * without an end (mongodb 7.8.0 and 7.9.0, `Connection.writeCommand`: a destroyed socket never emits the `drain` that is awaited).
 * Where that is the `hello` of a monitor, the server is not found again; where it is an operation, the pool has one
 * connection less. Both show in what the driver tells, and a new topology of the same client mends both.
 */
import type { MongoClient } from 'mongodb';
import type { Logger } from '@hindsight/kernel/logger.ts';
import { pause } from '@hindsight/kernel/retry.ts';
import { StoreUnavailable } from './unavailable.ts';

/** A watch over one client. */
export interface ClientWatch {
  /** From now on a stuck client is reconnected. */
  start(): void;
  /** Learns from how an operation ends. */
  note<T>(operation: Promise<T>): Promise<T>;
  /** Resolves when nothing connects any more. */
  stop(): Promise<void>;
}

const LOOK_EVERY_MS = 1_000;
/** A process that was stopped for a while finds everything late at first, and has the answers a moment later. */
const LATE_LOOKS = 2;
/** What a monitor asks is answered or given up after the driver's own waits: to connect, and to be answered. */
const SLACK_MS = 2_000;
/** How long no operation got a connection, and none an answer. */
const STARVED_MS = 20_000;
const AGAIN_MS = 1_000;

/** Watches a client that is not connected yet. */
export function watchClient(client: MongoClient, logger: Logger): ClientWatch {
  const { connectTimeoutMS, heartbeatFrequencyMS } = client.options;
  const stopping = new AbortController();
  /** Servers that are being asked, and when an answer is due. */
  const due = new Map<string, number>();
  let starvedSince: number | undefined;
  let lateLooks = 0;
  let looks: NodeJS.Timeout | undefined;
  let renewing: Promise<void> | undefined;

  client.on('serverHeartbeatStarted', ({ connectionId, awaited }) => {
    const waits = 2 * connectTimeoutMS + (awaited ? heartbeatFrequencyMS : 0) + SLACK_MS;
    due.set(connectionId, performance.now() + waits);
  });
  client.on('serverHeartbeatSucceeded', ({ connectionId }) => due.delete(connectionId));
  client.on('serverHeartbeatFailed', ({ connectionId }) => due.delete(connectionId));
  client.on('serverClosed', ({ address }) => due.delete(address));

  function fault(): string | undefined {
    const now = performance.now();
    if (starvedSince !== undefined && now - starvedSince > STARVED_MS) return 'no connection is free';
    const server = [...due].find(([, at]) => at < now)?.[0];
    return server && `${server} was asked whether it is there, and that has not ended`;
  }

  function look(): void {
    const reason = fault();
    lateLooks = reason === undefined ? 0 : lateLooks + 1;
    if (reason === undefined || lateLooks < LATE_LOOKS || renewing !== undefined) return;
    logger.warn({ reason }, 'the driver of MongoDB is stuck; reconnecting');
    renewing = renew().finally(() => (renewing = undefined));
  }

  async function renew(): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        await client.close();
        due.clear();
        starvedSince = undefined;
        await client.connect();
        return;
      } catch (err) {
        logger.warn({ err }, 'MongoDB could not be reconnected; trying again');
        await pause(AGAIN_MS, stopping.signal);
      }
    }
  }

  return {
    start: () => void (looks = setInterval(look, LOOK_EVERY_MS).unref()),
    async note(operation) {
      try {
        const result = await operation;
        starvedSince = undefined;
        return result;
      } catch (error) {
        starvedSince = foundNoConnection(error) ? (starvedSince ?? performance.now()) : undefined;
        throw error;
      }
    },
    async stop() {
      stopping.abort();
      clearInterval(looks);
      await renewing;
    },
  };
}

function foundNoConnection(error: unknown): boolean {
  return error instanceof StoreUnavailable && (error.cause as Error).name === 'MongoWaitQueueTimeoutError';
}
