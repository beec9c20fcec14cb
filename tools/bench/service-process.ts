import { spawn, type ChildProcess } from 'node:child_process';
import { resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../..');

export interface ServiceProcess {
  readonly url: string;
  readonly pid: number;
  /** The next matching line of its output. @throws {Error} if none comes in that time */
  waitFor(line: RegExp, withinMs: number): Promise<RegExpExecArray>;
  stop(): Promise<void>;
}

/** Starts services/NAME/src/main.ts on free ports; resolves when it listens. */
export function startService(
  name: string,
  settings: Readonly<Record<string, string>>,
): Promise<ServiceProcess> {
  const standard = { HOST: '127.0.0.1', PORT: '0', METRICS_PORT: '0', LOG_LEVEL: 'info' };
  return startScript(`services/${name}/src/main.ts`, [], { ...standard, ...settings });
}

const LISTENS = /listens at (http:\/\/[0-9.:]+)/;

/**
 * Starts a script of this repository; resolves when it prints its URL. @param ready a further text to wait
 * for
 */
export async function startScript(
  script: string,
  args: readonly string[],
  settings: Readonly<Record<string, string>> = {},
  ready: RegExp = LISTENS,
): Promise<ServiceProcess> {
  const child = spawn(process.execPath, [script, ...args], {
    cwd: ROOT,
    env: { PATH: process.env.PATH, ...settings },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const kill = (): boolean => child.kill('SIGTERM');
  // A benchmark that ends with an error stops nothing itself.
  process.once('exit', kill);
  const ended = new Promise<void>((done) => child.once('exit', () => done()));
  void ended.then(() => process.off('exit', kill));
  const url = await new Promise<string>((found, failed) => {
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      if (ready.test(output)) found(LISTENS.exec(output)?.[1] ?? '');
    });
    void ended.then(() => failed(new Error(`${script} ended:\n${output}`)));
  });
  return {
    url,
    pid: child.pid ?? 0,
    waitFor: (line, withinMs) => nextOutput(child, line, withinMs),
    async stop() {
      kill();
      await ended;
    },
  };
}

function nextOutput(child: ChildProcess, line: RegExp, withinMs: number): Promise<RegExpExecArray> {
  return new Promise((resolve, reject) => {
    let output = '';
    const end = (): void => {
      clearTimeout(timer);
      child.stdout?.off('data', onData);
    };
    const timer = setTimeout(() => {
      end();
      reject(new Error(`it did not print ${line.source} within ${withinMs} ms`));
    }, withinMs);
    const onData = (chunk: Buffer): void => {
      output += chunk.toString();
      const found = line.exec(output);
      if (found === null) return;
      end();
      resolve(found);
    };
    child.stdout?.on('data', onData);
  });
}
