/** Duration of a start, and the processes' memory after some idle time. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { residentMib } from './machine.ts';
import { startScript } from './service-process.ts';

const IDLE_MS = 20_000;
const STARTS = 5;
const FREE_PORTS = { HOST: '127.0.0.1', PORT: '0', PORTAL_PORT: '0', METRICS_PORT: '0' };
/** Settings of `start` and `stack` in package.json. */
const AS_NPM_STACK = { NODE_COMPILE_CACHE: 'node_modules/.cache/hindsight' };
const AS_NPM_START = { ...AS_NPM_STACK, NODE_OPTIONS: '--max-semi-space-size=8' };
/** Far from the ports that a developer uses. */
const STACK_PORT = 28_080;

export async function run(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'hindsight-bench-'));
  try {
    await standalone(folder);
    await stack(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function standalone(folder: string): Promise<void> {
  const settings = (name: string) => ({ ...FREE_PORTS, ...AS_NPM_START, DATA_DIR: join(folder, name) });
  const first: number[] = [];
  const again: number[] = [];
  // The first of all fills the caches of the system and of Node.
  for (let n = 0; n <= STARTS; n++) {
    for (const times of [first, again]) {
      const started = await timed(settings(`data-${n}`));
      await started.stop();
      if (n > 0) times.push(started.ms);
    }
  }
  console.log(`npm start, without data: ${spread(first)}`);
  console.log(`npm start, with data:    ${spread(again)}`);
  const started = await timed(settings('data-1'));
  await sleep(IDLE_MS);
  console.log(`npm start, idle for ${IDLE_MS / 1_000} s: ${residentMib(started.pid).toFixed(0)} MiB`);
  await started.stop();
}

async function timed(
  settings: Record<string, string>,
): Promise<{ ms: number; pid: number; stop(): Promise<void> }> {
  const begun = performance.now();
  const started = await startScript('standalone/src/main.ts', [], settings, /Hindsight (is ready|runs) at /);
  return { ms: performance.now() - begun, pid: started.pid, stop: () => started.stop() };
}

/** Every process of the stack, without a request. */
async function stack(folder: string): Promise<void> {
  const dir = join(folder, 'stack');
  const args = ['--port', String(STACK_PORT), '--dir', dir];
  const settings = { HOME: homedir(), ...AS_NPM_STACK };
  // The first of all fills the cache.
  await (await startScript('tools/stack/main.ts', args, settings, /everything is ready/)).stop();
  const started = await startScript('tools/stack/main.ts', args, settings, /everything is ready/);
  try {
    await sleep(IDLE_MS);
    const state = JSON.parse(readFileSync(join(dir, 'stack.json'), 'utf8')) as Record<
      string,
      { pid: number }[]
    >;
    for (const name of ['gateway', 'balance', 'tokens', 'orders', 'metering', 'portal'])
      for (const { pid } of state[name] ?? [])
        console.log(`${name.padEnd(10)} idle for ${IDLE_MS / 1_000} s: ${residentMib(pid).toFixed(0)} MiB`);
  } finally {
    await started.stop();
  }
}

function spread(times: readonly number[]): string {
  const sorted = [...times].sort((a, b) => a - b);
  const at = (share: number): string =>
    ((sorted[Math.round((sorted.length - 1) * share)] ?? 0) / 1_000).toFixed(2);
  return `${at(0.5)} s (${at(0)} to ${at(1)})`;
}
