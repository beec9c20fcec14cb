import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freePort } from '../../servers/ports.ts';
import { openDataFolder, type ServerCommand, startServer } from '../../servers/process.ts';
import { standstill } from '../../servers/standstill.ts';

const GONE_WITHIN_MS = 600_000;

/** True if a process runs; one that has ended and waits for its parent does not. */
async function lives(pid: number): Promise<boolean> {
  const ps = spawn('ps', ['-o', 'stat=', '-p', String(pid)]);
  let text = '';
  ps.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
  await once(ps, 'close');
  return text.trim() !== '' && !text.trim().startsWith('Z');
}

/** Resolves to true once the condition holds, to false if it never does. */
async function comesTrue(holds: () => Promise<boolean>): Promise<boolean> {
  for (const deadline = Date.now() + GONE_WITHIN_MS; Date.now() < deadline; await sleep(50)) {
    if (await holds()) return true;
  }
  return false;
}

/** True if a process has become the command that it was started for. */
async function isSleep(pid: number): Promise<boolean> {
  const { stdout } = await promisify(execFile)('ps', ['-o', 'comm=', '-p', String(pid)]);
  return stdout.trim() === 'sleep';
}

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

/** A small real server: node with the given script, `PORT` replaced; ready when it answers. */
async function server(script: string): Promise<ServerCommand & { url: string }> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  return {
    name: 'thing',
    command: process.execPath,
    args: ['-e', script.replace('PORT', String(port))],
    data: await openDataFolder('thing', {}),
    probe: async () => void (await fetch(url, { headers: { connection: 'close' } })),
    url,
  };
}
const ECHO = "require('http').createServer((q, a) => a.end(String(process.pid))).listen(PORT, '127.0.0.1')";
const ask = async (url: string, ms = 300_000): Promise<string> =>
  (await fetch(url, { headers: { connection: 'close' }, signal: AbortSignal.timeout(ms) })).text();

/** The states of its threads, as `ps` shows them. */
async function threadStates(pid: number): Promise<Set<string>> {
  const { stdout } = await promisify(execFile)('ps', ['-L', '-o', 'state=', '-p', String(pid)]);
  return new Set(stdout.trim().split(/\s+/));
}

describe('a native server', () => {
  it('is ready when startServer resolves, under the pid that it reports, and gone with its data after stop', async () => {
    const command = await server(ECHO);
    const running = await startServer(command);
    expect(await ask(command.url)).toBe(String(running.pid));
    await running.stop();
    await running.stop();
    expect(await lives(running.pid)).toBe(false);
    expect(await exists(command.data.path)).toBe(false);
    await expect(running.restart()).rejects.toThrow('stopped for good');
  });

  it('answers nothing while paused, and again after resume', async () => {
    const command = await server(ECHO);
    const running = await startServer(command);
    await running.pause();
    expect(await threadStates(running.pid)).toEqual(new Set(['T']));
    await expect(ask(command.url, 300)).rejects.toThrow();
    running.resume();
    expect(await ask(command.url)).toBe(String(running.pid));
    await running.pause();
    await running.stop();
    expect(await lives(running.pid)).toBe(false);
  });

  it('comes back on the same address after kill and restart', async () => {
    const command = await server(ECHO);
    const running = await startServer(command);
    const before = running.pid;
    await running.kill();
    await expect(ask(command.url)).rejects.toThrow();
    await running.restart();
    expect(running.pid).not.toBe(before);
    expect(await ask(command.url)).toBe(String(running.pid));
    await running.stop();
  });

  it('that does not come up fails with the last lines of its log, and leaves no data', async () => {
    const command = await server("console.error('the disk is on fire'); process.exit(7)");
    await expect(startServer(command)).rejects.toThrow(
      /thing did not come up: exit code 7\nthe disk is on fire/,
    );
    expect(await exists(command.data.path)).toBe(false);
  });

  it('whose command does not exist fails and says so', async () => {
    const command = { ...(await server('')), command: 'no-such-command' };
    await expect(startServer(command)).rejects.toThrow(/exit code 127[^]*no-such-command/);
  });
});

describe('a server whose parent is killed with -9', () => {
  let folder: string;
  beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'hindsight-parent-'))));
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it.each(['running', 'paused'])('is gone too when it was %s, with its temporary data', async (state) => {
    const child = new URL('../../servers/watched-child.ts', import.meta.url).href;
    const data = join(folder, 'data');
    const parent = spawn(process.execPath, [
      '--input-type=module',
      '-e',
      `import { mkdirSync } from 'node:fs';
       import { spawnWatched } from ${JSON.stringify(child)};
       mkdirSync(${JSON.stringify(data)});
       const child = spawnWatched({
         command: 'sleep', args: ['600'], folder: ${JSON.stringify(folder)},
         logFile: ${JSON.stringify(join(folder, 'log'))}, removeWithParent: ${JSON.stringify(data)},
       });
       console.log(child.pid);`,
    ]);
    const [line] = (await once(createInterface(parent.stdout), 'line')) as [string];
    const pid = Number(line);
    expect(await lives(pid)).toBe(true);
    // From then on it is the command itself, and its watcher runs.
    expect(await comesTrue(() => isSleep(pid))).toBe(true);
    if (state === 'paused') {
      process.kill(pid, 'SIGSTOP');
      await standstill(pid);
    }
    parent.kill('SIGKILL');
    await once(parent, 'exit');
    expect(await comesTrue(async () => !(await lives(pid)))).toBe(true);
    expect(await comesTrue(async () => !(await exists(data)))).toBe(true);
  });
});
