/** `npm run stack` as a person runs it, and its stack.json. */
import type { KINDS } from '@hindsight/tools/stack/services.ts';
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isReady } from './is-ready.ts';
import { machineEnv } from './machine.ts';

const ROOT = resolve(import.meta.dirname, '../..');
/** The documented limit is 30 s; a machine that runs other suites at the same time gets longer. */
const READY_WITHIN_MS = 600_000;
const START_WITHIN_MS = 600_000;
/** Longest time from a process's signal to its end. */
const GONE_WITHIN_MS = 600_000;

/** A process of the stack. */
export interface StackProcess {
  readonly pid: number;
  readonly url: string;
  readonly metrics: string;
  readonly env: Readonly<Record<string, string>>;
}

/** stack.json: the processes of each kind, and everything that they use. */
export interface StackFile extends Readonly<Record<(typeof KINDS)[number], readonly StackProcess[]>> {
  readonly servers: Readonly<Record<'kafka' | 'redis' | 'mongodb', { pid: number | null }>>;
  readonly node: { readonly pid: number; readonly url: string };
  /** Nodes of further networks, by name. */
  readonly networks: Readonly<Record<string, { readonly pid: number; readonly url: string }>>;
  readonly env: Readonly<
    Record<'DATA_DIR' | 'KAFKA_BROKERS' | 'MONGODB_URL' | 'REDIS_URL' | 'SECRETS_KEY', string>
  >;
}

/** A stack in a new folder. */
export class RunningStack {
  readonly folder = mkdtempSync(join(tmpdir(), 'hindsight-stack-'));
  readonly #child: ChildProcess;
  readonly exited: Promise<number | null>;
  output = '';

  /** @param settings of its operator, in the environment */
  constructor(basePort: number, args: readonly string[], settings: Readonly<Record<string, string>> = {}) {
    const line = ['run', 'stack', '--', '--dir', this.folder, '--port', String(basePort), ...args];
    // A separate group, so that signals to this run do not reach it, and npm's children can be counted.
    this.#child = spawn('npm', line, { cwd: ROOT, detached: true, env: { ...machineEnv(), ...settings } });
    this.#child.stdout?.on('data', (chunk: Buffer) => (this.output += chunk.toString()));
    this.#child.stderr?.on('data', (chunk: Buffer) => (this.output += chunk.toString()));
    this.exited = new Promise((done) => this.#child.once('close', (code) => done(code)));
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** @throws when it ends first or is not ready in time */
  async untilReady(): Promise<void> {
    const deadline = Date.now() + READY_WITHIN_MS;
    let exit: number | null | undefined;
    void this.exited.then((code) => (exit = code));
    while (!/Hindsight is ready at[^]*demo key\s+\S+\s/.test(this.output)) {
      if (exit !== undefined || Date.now() > deadline)
        throw new Error(`the stack is not up:\n${this.output}`);
      await sleep(50);
    }
  }

  file(): StackFile {
    return JSON.parse(readFileSync(join(this.folder, 'stack.json'), 'utf8')) as StackFile;
  }

  /** Everything that it has started, and what those have. */
  pids(): number[] {
    return [this.pid, ...descendants(this.pid)];
  }

  /** Its end by SIGTERM, with all that it has started. */
  async stop(): Promise<void> {
    const pids = this.pids();
    this.signal('SIGTERM');
    await this.exited;
    await untilGone(pids);
    this.remove();
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function descendants(pid: number): number[] {
  const table = execFileSync('ps', ['-eo', 'pid=,ppid='], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number));
  const below = (parent: number): number[] =>
    table.flatMap(([child = 0, of]) => (of === parent ? [child, ...below(child)] : []));
  return below(pid);
}

/** Starts a service again from the environment that stack.json gives; resolves when it is ready. */
export async function startByHand(
  name: string,
  { url, env }: StackProcess,
): Promise<{ readonly end: () => Promise<void> }> {
  const child = spawn(process.execPath, [`services/${name}/src/main.ts`], {
    cwd: ROOT,
    env: { ...machineEnv(), ...env },
    stdio: 'ignore',
  });
  const ended = new Promise<void>((done) => child.once('exit', () => done()));
  const end = (): Promise<void> => {
    child.kill('SIGTERM');
    return ended;
  };
  for (const deadline = Date.now() + START_WITHIN_MS; !(await isReady(url)); await sleep(50)) {
    if (Date.now() < deadline) continue;
    await end();
    throw new Error(`${name} at ${url} did not become ready`);
  }
  return { end };
}

/** True if the process exists. */
export const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

/** Waits for their end. @returns those that are still running */
export async function untilGone(pids: readonly number[]): Promise<number[]> {
  const deadline = Date.now() + GONE_WITHIN_MS;
  while (Date.now() < deadline && pids.some(isAlive)) await sleep(50);
  return pids.filter(isAlive);
}
