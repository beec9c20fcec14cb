/**
 * Watches a client of MongoDB's driver. A write to a socket that is just being closed never ends (mongodb 7.8.0 and
 * 7.9.0, `Connection.writeCommand`: a destroyed socket never emits the `drain` that is awaited). If the write is the
 * `hello` of a monitor, the server is never found again; if it is an operation, the pool has lost a connection. Both
 * show in the driver's events, and a new topology of the same client repairs both.
 */
import type { MongoClient } from 'mongodb';
import type { Logger } from '@hindsight/kernel/logger.ts';
import { pause } from '@hindsight/kernel/retry.ts';
import { StoreUnavailable } from './unavailable.ts';

export interface ClientWatch {
  /** Starts reconnecting the client when it is stuck. */
  start(): void;
  /** Observes how an operation ends. */
  note<T>(operation: Promise<T>): Promise<T>;
  /** Resolves when no connection attempt is under way. */
  stop(): Promise<void>;
}

const LOOK_EVERY_MS = 1_000;
/** After a suspended process is resumed everything looks late at first, and the answers arrive a moment later. */
const LATE_LOOKS = 2;
/** A monitor's request is answered or abandoned within the driver's own timeouts: to connect, and to be answered. */
const SLACK_MS = 2_000;
const AGAIN_MS = 1_000;
const STARVED_MS = 20_000;

/** Watches a client that is not connected yet. @param starvedMs for how long no operation has got a connection, and none an answer */
export function watchClient(
  client: MongoClient,
  logger: Logger,
  starvedMs = Math.max(STARVED_MS, 2 * client.options.waitQueueTimeoutMS),
): ClientWatch {
  const { connectTimeoutMS, heartbeatFrequencyMS } = client.options;
  const stopping = new AbortController();
  /** Servers with a pending `hello`, and when its answer is due. */
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
    if (starvedSince !== undefined && now - starvedSince > starvedMs) return 'no connection is free';
    const server = [...due].find(([, at]) => at < now)?.[0];
    return server && `${server} was asked whether it is there, and that has not ended`;
  }

  function look(): void {
    const reason = fault();
    lateLooks = reason === undefined ? 0 : lateLooks + 1;
    if (reason === undefined || lateLooks < LATE_LOOKS || renewing !== undefined) return;
    logger.warn({ reason }, 'the MongoDB driver is stuck; reconnecting');
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
        logger.warn({ err }, 'could not reconnect to MongoDB; trying again');
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
