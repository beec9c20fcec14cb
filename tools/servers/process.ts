/** Shared by all native servers: started, probed until ready, paused, killed, restarted, stopped. */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { standstill } from './standstill.ts';
import { spawnWatched, tailOf, terminate, untilReady, type WatchedChild } from './watched-child.ts';

/** Taken by every `startX`. */
export interface ServerOptions {
  /** Folder of downloads and builds; `~/.cache/hindsight` by default. */
  readonly cache?: string;
  /** A folder for the data, kept when the server stops; by default a temporary one, removed then. */
  readonly dataDir?: string;
  /** The port of its main address; a free one by default. */
  readonly port?: number;
}

/** A server started by this process on 127.0.0.1. It ends with this process, however that ends. */
export interface ServerProcess {
  /** The operating system's id; another one after `restart`. */
  readonly pid: number;
  /** Freezes it (SIGSTOP): connections stay open, and nothing answers once this resolves. */
  pause(): Promise<void>;
  /** Ends a pause. */
  resume(): void;
  /** Kills it (SIGKILL) and waits until it is gone; `restart` finds its data. */
  kill(): Promise<void>;
  /**
   * Stops it gracefully if it runs, then starts it on the same ports and the same data; resolves when it is
   * ready.
   */
  restart(): Promise<void>;
  /** Ends it (SIGTERM, then SIGKILL) and removes its temporary data. May be called twice. */
  stop(): Promise<void>;
}

/** Start and readiness of a kind of server. */
export interface ServerCommand {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly data: DataFolder;
  /** Run once, before the first start. */
  readonly prepare?: () => Promise<void>;
  /** Resolves when the server answers as a client needs it to; rejects when it does not yet. */
  readonly probe: () => Promise<void>;
}

export interface DataFolder {
  readonly path: string;
  readonly temporary: boolean;
}

const PATIENCE = { withinMs: 600_000, everyMs: 100 };
const PROBE_WITHIN_MS = 5_000;
const TERM_WITHIN_MS = 15_000;
/** Longer, for a server whose data is needed again. */
const TERM_TO_RESTART_WITHIN_MS = 600_000;

/** Makes the folder that the options ask for, or a temporary one. */
export async function openDataFolder(name: string, options: ServerOptions): Promise<DataFolder> {
  if (options.dataDir === undefined) {
    return { path: await mkdtemp(join(tmpdir(), `hindsight-${name}-`)), temporary: true };
  }
  await mkdir(options.dataDir, { recursive: true });
  return { path: options.dataDir, temporary: false };
}

/**
 * Starts a server and waits until its probe succeeds.
 * @throws when it exits first or is not ready within ten minutes; the message ends with the last lines of its log.
 */
export async function startServer(server: ServerCommand): Promise<ServerProcess> {
  let child = await startOrCleanUp(server);
  let stopped = false;
  return {
    get pid() {
      return child.pid;
    },
    pause: async () => {
      child.signal('SIGSTOP');
      await standstill(child.pid);
    },
    resume: () => child.signal('SIGCONT'),
    kill: async () => {
      child.signal('SIGKILL');
      await child.exited;
    },
    restart: async () => {
      if (stopped) throw new Error(`${server.name} was stopped for good: its data is gone`);
      await terminate(child, TERM_TO_RESTART_WITHIN_MS);
      child = await launch(server);
    },
    stop: async () => {
      stopped = true;
      await terminate(child, TERM_WITHIN_MS);
      await discard(server.data);
    },
  };
}

async function startOrCleanUp(server: ServerCommand): Promise<WatchedChild> {
  try {
    await server.prepare?.();
    return await launch(server);
  } catch (error) {
    await discard(server.data);
    throw error;
  }
}

async function launch(server: ServerCommand): Promise<WatchedChild> {
  const logFile = join(server.data.path, 'server.log');
  const child = spawnWatched({
    command: server.command,
    args: server.args,
    folder: server.data.path,
    logFile,
    ...(server.data.temporary ? { removeWithParent: server.data.path } : {}),
  });
  const fault = await untilReady(child, () => attempt(server.probe), PATIENCE);
  if (fault === undefined) return child;
  child.signal('SIGKILL');
  await child.exited;
  throw new Error(`${server.name} did not come up: ${fault}\n${await tailOf(logFile)}`);
}

async function attempt(probe: () => Promise<void>): Promise<string | undefined> {
  const limit = new AbortController();
  const late = sleep(PROBE_WITHIN_MS, 'the probe had no answer', { signal: limit.signal }).catch(
    () => undefined,
  );
  const done = probe().then(
    () => undefined,
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
  const outcome = await Promise.race([done, late]);
  limit.abort();
  return outcome;
}

async function discard(data: DataFolder): Promise<void> {
  if (data.temporary) await rm(data.path, { recursive: true, force: true, maxRetries: 3 });
}
