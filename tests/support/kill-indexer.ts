/** The tokens service in a separate process, killed again and again while it indexes. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { machineEnv } from './machine.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const EXIT_WITHIN_MS = 600_000;

/** Runs it until `moment` resolves, then ends it with -9. */
export async function runUntilKilled(
  settings: Readonly<Record<string, string>>,
  moment: () => Promise<unknown>,
): Promise<void> {
  const child = spawn(process.execPath, ['services/tokens/src/main.ts'], {
    cwd: ROOT,
    env: { ...machineEnv(), PORT: '0', METRICS_PORT: '0', LOG_LEVEL: 'fatal', ...settings },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let complaints = '';
  child.stderr.on('data', (chunk: Buffer) => (complaints += chunk.toString()));
  const ended = once(child, 'exit', { signal: AbortSignal.timeout(EXIT_WITHIN_MS) });
  const early = ended.then(([code]) => {
    throw new Error(`the service ended by itself with ${code}: ${complaints}`);
  });
  try {
    await Promise.race([moment(), early]);
  } finally {
    child.kill('SIGKILL');
    await ended;
    early.catch(() => undefined);
  }
}
