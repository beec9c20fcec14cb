import { describe, expect, it } from '@jest/globals';
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { startAnvil } from '../src/anvil.ts';
import { startDevchain } from '../src/devchain.ts';

const GONE_WITHIN_MS = 60_000;
const PARENT_LIVES_MS = 150_000;
const MAX_ROUNDS = 5;

/** True if a process is gone; a zombie counts as gone. */
function gone(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return true;
  }
  const stat = `/proc/${pid}/stat`;
  return existsSync(stat) && readFileSync(stat, 'utf8').includes(' Z ');
}

async function goneWithin(pid: number, ms: number): Promise<boolean> {
  const deadline = performance.now() + ms;
  while (performance.now() < deadline) {
    if (gone(pid)) return true;
    await delay(20);
  }
  return gone(pid);
}

/** A dev chain whose parent is another process. */
async function startInAParent(): Promise<{ pid: number; parent: ChildProcess }> {
  const module = new URL('../src/devchain.ts', import.meta.url).href;
  const script = `const { startDevchain } = await import('${module}');
    const chain = await startDevchain();
    console.log(chain.pid);
    setInterval(() => {}, 1000);`;
  const parent = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: PARENT_LIVES_MS,
  });
  const lines = createInterface({ input: parent.stdout });
  const pid = Number((await lines[Symbol.asyncIterator]().next()).value);
  return { pid, parent };
}

describe('the life of a dev chain', () => {
  it('ends with stop(), which may be called twice and leaves no process', async () => {
    const lines: string[] = [];
    const chain = await startDevchain({ log: (line) => lines.push(line) });
    expect(gone(chain.pid)).toBe(false);
    await Promise.all([chain.stop(), chain.stop()]);
    expect(gone(chain.pid)).toBe(true);
    await chain.stop();
    await expect(fetch(chain.url)).rejects.toThrow();
    expect(lines.join('\n')).toMatch(/anvil listens on .*\nblock 18000150 after \d+ ms/);
    expect(lines.join('\n')).not.toContain('by itself');
  });

  it.each(['SIGKILL', 'SIGTERM'] as const)(
    'ends within two seconds of its parent, killed by %s',
    async (signal) => {
      // A busy machine slows down one shutdown, a slow watchdog all of them.
      let least = Infinity;
      for (let n = 0; n < MAX_ROUNDS && least >= 2_000; n++) {
        const { pid, parent } = await startInAParent();
        expect(pid).toBeGreaterThan(1);
        expect(gone(pid)).toBe(false);
        const begun = performance.now();
        parent.kill(signal);
        expect(await goneWithin(pid, GONE_WITHIN_MS)).toBe(true);
        least = Math.min(least, performance.now() - begun);
      }
      expect(least).toBeLessThan(2_000);
    },
  );

  it('reports when anvil ends by itself, and stop() still works', async () => {
    const lines: string[] = [];
    const anvil = await startAnvil({ host: '127.0.0.1', port: 0, log: (line) => lines.push(line) });
    process.kill(anvil.pid, 'SIGKILL');
    await goneWithin(anvil.pid, GONE_WITHIN_MS);
    for (let waited = 0; lines.length < 2 && waited < GONE_WITHIN_MS; waited += 20) await delay(20);
    await anvil.stop();
    expect(lines.at(-1)).toBe('anvil ended by itself (SIGKILL)');
  });

  it('rejects with anvil’s message when it cannot start, and leaves no process', async () => {
    const first = await startAnvil({ host: '127.0.0.1', port: 0, log: () => undefined });
    const port = Number(new URL(first.url).port);
    try {
      await expect(startDevchain({ port })).rejects.toThrow(/anvil did not come up: .*[Aa]ddress/s);
    } finally {
      await first.stop();
    }
  });
});
