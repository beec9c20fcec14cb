import { spawn } from 'node:child_process';
import { resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '..');

/** A service as a process of its own. */
export interface ServiceProcess {
  readonly url: string;
  readonly pid: number;
  stop(): Promise<void>;
}

/** Starts services/NAME/src/main.ts on free ports; resolves when it listens. */
export async function startService(
  name: string,
  settings: Readonly<Record<string, string>>,
): Promise<ServiceProcess> {
  const env = {
    PATH: process.env.PATH,
    HOST: '127.0.0.1',
    PORT: '0',
    METRICS_PORT: '0',
    LOG_LEVEL: 'info',
    ...settings,
  };
  const child = spawn(process.execPath, [`services/${name}/src/main.ts`], {
    cwd: ROOT,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise<void>((done) => child.once('exit', () => done()));
  const url = await new Promise<string>((found, failed) => {
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      const address = new RegExp(`${name} listens at (http://[0-9.:]+)`).exec(output)?.[1];
      if (address !== undefined) found(address);
    });
    void ended.then(() => failed(new Error(`${name} ended:\n${output}`)));
  });
  return {
    url,
    pid: child.pid ?? 0,
    async stop() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}
