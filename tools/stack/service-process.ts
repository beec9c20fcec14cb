/** One service as a process: started, waited for, restarted if asked to, stopped. */
import { setTimeout as sleep } from 'node:timers/promises';
import { spawnWatched, tailOf, terminate, untilReady, type WatchedChild } from '../servers/watched-child.ts';
import type { Placed } from './services.ts';

export interface ServiceRun {
  readonly placed: Placed;
  /** The repository's root. */
  readonly root: string;
  readonly logFile: string;
  /** Variables of this machine: PATH and the like. */
  readonly machine: Readonly<Record<string, string>>;
  readonly env: Readonly<Record<string, string>>;
  /** Started again when it ends by itself. */
  readonly restart: boolean;
  /** Called when another process has replaced it, or when it has ended for good. */
  readonly onChange: (service: ServiceProcess, words: string) => void;
}

export interface ServiceProcess {
  readonly placed: Placed;
  readonly env: Readonly<Record<string, string>>;
  readonly pid: number;
  /** Time from SIGTERM to SIGKILL. */
  stop(): Promise<void>;
}

/** kafkajs sets timers into the past; Node warns of each. */
const QUIET = '--disable-warning=TimeoutNegativeWarning';
/** As the image starts it (deploy/container/run); of this checkout, since a tree of an earlier release has none. */
const PRELOAD = `--import=${new URL('../../shared/kernel/src/light-start.ts', import.meta.url).href}`;

/** Against one that hangs: all start at once, and a busy machine takes minutes for that. */
const PATIENCE = { withinMs: 600_000, everyMs: 50 };
const ANSWER_WITHIN_MS = 2_000;
/** Longer than a service itself takes at most. */
const TERM_WITHIN_MS = 12_000;
export const RESTART_AFTER_MS = 500;
/** A store that is slow at first ends a service that starts: an orchestrator would start it again. */
export const STARTS = 3;

/**
 * Starts a service, up to three times where it ends. @throws when it does so each time, or is not ready within ten minutes; the
 * message ends with its log's last lines
 */
export async function startService(run: ServiceRun): Promise<ServiceProcess> {
  let child = spawn(run);
  let stopping = false;
  const service: ServiceProcess = {
    placed: run.placed,
    env: run.env,
    get pid() {
      return child.pid;
    },
    async stop() {
      stopping = true;
      await terminate(child, TERM_WITHIN_MS);
    },
  };
  const watch = (watched: WatchedChild): void => {
    void watched.exited.then(async (how) => {
      if (stopping) return;
      run.onChange(service, `ended with ${how}${run.restart ? '; starting it again' : ''}`);
      if (!run.restart) return;
      await sleep(RESTART_AFTER_MS);
      // The stop may have come in the meantime.
      if (stopping) return;
      child = spawn(run);
      run.onChange(service, `runs again as process ${child.pid}`);
      watch(child);
    });
  };
  for (let starts = 1; ; starts++) {
    let hasEnded = false as boolean;
    void child.exited.then(() => (hasEnded = true));
    const fault = await untilReady(child, () => readiness(run.placed.url), PATIENCE);
    if (fault === undefined) break;
    await terminate(child, TERM_WITHIN_MS);
    if (!hasEnded || starts === STARTS)
      throw new Error(`${run.placed.name} did not come up: ${fault}\n${await tailOf(run.logFile)}`);
    await sleep(RESTART_AFTER_MS);
    child = spawn(run);
  }
  watch(child);
  return service;
}

function spawn({ placed, root, logFile, machine, env }: ServiceRun): WatchedChild {
  return spawnWatched({
    command: process.execPath,
    args: [PRELOAD, QUIET, placed.spec.main],
    folder: root,
    logFile,
    env: { ...machine, ...env },
  });
}

/** The missing parts by `/readyz`; undefined once it is ready. */
async function readiness(url: string): Promise<string | undefined> {
  try {
    const response = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(ANSWER_WITHIN_MS) });
    const text = await response.text();
    return response.ok ? undefined : text.slice(0, 500);
  } catch (error) {
    return (error as Error).message;
  }
}
