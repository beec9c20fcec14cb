/**
 * A child process that ends with its parent, even when the parent is killed with -9.
 *
 * The kernel reports that death only to pipes. So a shell runs next to the child and waits on a pipe whose
 * other end this process holds. When the pipe closes without a word, the shell kills the child and removes
 * its folder. The child starts only once that shell runs, so it is never without a watcher.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';

const TAIL_LINES = 20;
const WAIT_FOR_GO = 'read -r go <&3 || exit 1; exec 3<&-; exec "$@"';
const WATCH = 'read -r done || { kill -KILL "$1"; sleep 1; [ -z "$2" ] || rm -rf -- "$2"; }';

/** A command and its surroundings. */
export interface ChildCommand {
  readonly command: string;
  readonly args: readonly string[];
  /** Its working directory. */
  readonly folder: string;
  /** File to which stdout and stderr are appended. */
  readonly logFile: string;
  /** Its environment; this process's own by default. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** A folder to remove when the parent dies; none if the data is to stay. */
  readonly removeWithParent?: string;
}

export interface WatchedChild {
  readonly pid: number;
  /** Resolves with words such as "exit code 1" once the process is gone. */
  readonly exited: Promise<string>;
  /** Sends a signal; nothing happens when the process is gone. */
  signal(name: NodeJS.Signals): void;
}

/**
 * Starts a command in a new session (a Ctrl-C in the terminal reaches the parent, which stops its servers in
 * order). The process id is that of the command itself.
 */
export function spawnWatched(spec: ChildCommand): WatchedChild {
  const child = spawnWaiting(spec);
  const { pid } = child;
  // Without a pid the exit promise carries the reason.
  if (pid === undefined) return { pid: 0, exited: exitOf(child), signal: () => undefined };
  const watcher = spawn('sh', ['-c', WATCH, 'sh', String(pid), spec.removeWithParent ?? ''], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const exited = exitOf(child).finally(() => watcher.stdin.end('done\n'));
  watcher.stdin.on('error', () => undefined);
  watcher.once('spawn', () => (child.stdio[3] as Writable).end('go\n'));
  watcher.once('error', () => child.kill('SIGKILL'));
  return { pid, exited, signal: (name) => void child.kill(name) };
}

function spawnWaiting(spec: ChildCommand): ChildProcess {
  const log = openSync(spec.logFile, 'a', 0o600);
  try {
    const child = spawn('sh', ['-c', WAIT_FOR_GO, 'sh', spec.command, ...spec.args], {
      cwd: spec.folder,
      detached: true,
      stdio: ['ignore', log, log, 'pipe'],
      ...(spec.env === undefined ? {} : { env: spec.env }),
    });
    child.stdio[3]?.on('error', () => undefined);
    return child;
  } finally {
    closeSync(log);
  }
}

async function exitOf(child: ChildProcess): Promise<string> {
  try {
    const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
    return signal ? `signal ${signal}` : `exit code ${code ?? 'unknown'}`;
  } catch (error) {
    return `failure to start: ${(error as Error).message}`;
  }
}

/** Deadline and interval of the probes. */
interface Patience {
  readonly withinMs: number;
  readonly everyMs: number;
}

/**
 * Waits until a child is ready.
 * @param missing probes it, within its own time limit; resolves to the missing part, or to undefined once
 * nothing is missing
 * @returns undefined once it is ready, else the reason: its exit, or the last missing part
 */
export async function untilReady(
  child: WatchedChild,
  missing: () => Promise<string | undefined>,
  { withinMs, everyMs }: Patience,
): Promise<string | undefined> {
  const deadline = performance.now() + withinMs;
  let last = 'it was never asked';
  let exit: string | undefined;
  void child.exited.then((how) => (exit = how));
  while (performance.now() < deadline) {
    if (exit !== undefined) return exit;
    const answer = await missing();
    // Once the process is gone, an answer came from another process in its place.
    if (answer === undefined && exit === undefined) return undefined;
    last = answer ?? last;
    await sleep(everyMs);
  }
  return `not ready after ${withinMs} ms, at last: ${last}`;
}

/** Ends it: SIGTERM, then SIGKILL if it does not end in time. */
export async function terminate(child: WatchedChild, withinMs: number): Promise<void> {
  // A paused process does not see SIGTERM before it goes on.
  child.signal('SIGCONT');
  child.signal('SIGTERM');
  const limit = new AbortController();
  const late = sleep(withinMs, 'late', { signal: limit.signal }).catch(() => 'done');
  const outcome = await Promise.race([child.exited, late]);
  limit.abort();
  if (outcome === 'late') child.signal('SIGKILL');
  await child.exited;
}

/** The last lines that it has written, for a message. */
export async function tailOf(logFile: string): Promise<string> {
  const text = await readFile(logFile, 'utf8').catch(() => '');
  return text.trimEnd().split('\n').slice(-TAIL_LINES).join('\n') || '(its log is empty)';
}
