import { spawn } from 'node:child_process';
import { join, resolve } from 'node:path';
import { machineEnv, PATIENT } from './machine.ts';

const ROOT = resolve(import.meta.dirname, '../..');
/** As the image starts it (deploy/container/run). */
const PRELOAD = `--import=${join(ROOT, 'shared/kernel/src/light-start.ts')}`;
const LISTENS = /listens at (http:\/\/[\d.]+:\d+)/g;
const READY_WITHIN_MS = 600_000;
const STARTS = 5;
const STORE_AWAY = /ended with 1:[^]*StoreUnavailable[^]*could not start/;

/** A service run as in production: `node services/<name>/src/main.ts`. */
export interface RunningService {
  readonly url: string;
  readonly pid: number;
  output(): string;
  /** Resolves to the exit code, null after a kill. */
  readonly ended: Promise<number | null>;
  /** Sends a signal that does not end it. */
  signal(name: 'SIGSTOP' | 'SIGCONT'): void;
  /** Sends a signal and waits for the end. Resolves to the exit code, null after a kill. */
  end(signal: NodeJS.Signals): Promise<number | null>;
}

/**
 * Starts a service on free ports of loopback, with these settings and nothing else of the caller's environment. One that
 * ends because a store was too slow for its start is restarted, as an operator would do.
 */
export async function runService(
  name: string,
  settings: Readonly<Record<string, string>>,
): Promise<RunningService> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await runOnce(name, settings);
    } catch (error) {
      if (attempt === STARTS || !STORE_AWAY.test((error as Error).message)) throw error;
    }
  }
}

async function runOnce(name: string, settings: Readonly<Record<string, string>>): Promise<RunningService> {
  const child = spawn(process.execPath, [PRELOAD, `services/${name}/src/main.ts`], {
    cwd: ROOT,
    env: { ...machineEnv(), ...PATIENT, PORT: '0', METRICS_PORT: '0', DRAIN_MS: '0', ...settings },
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const exited = new Promise<number | null>((done) => child.once('close', (code) => done(code)));
  const url = await new Promise<string>((found, reject) => {
    const late = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new Error(`${name} was not ready within ${READY_WITHIN_MS} ms:\n${output}`));
    }, READY_WITHIN_MS);
    child.stdout.on('data', () => {
      // Each worker says so, and the process ends when one of them cannot start.
      const at = [...output.matchAll(LISTENS)].map(([, url]) => url!);
      if (at.length < Number(settings.WORKERS ?? 1)) return;
      clearTimeout(late);
      found(at[0]!);
    });
    void exited.then((code) => {
      clearTimeout(late);
      reject(new Error(`${name} ended with ${code}:\n${output}`));
    });
  });
  return {
    url,
    pid: child.pid ?? 0,
    output: () => output,
    ended: exited,
    signal: (name) => void child.kill(name),
    end: (signal) => {
      child.kill(signal);
      return exited;
    },
  };
}
