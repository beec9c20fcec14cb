/** A process whose log is a file on a full disk lives on, and its lines are there once there is room. */
import { expect, it } from '@jest/globals';
import { until } from '@hindsight/kernel/test/support/until.ts';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setFileSize } from '../support/file-size.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const LOGS = `
  import { createLogger } from '@hindsight/kernel/logger.ts';
  const logger = createLogger({ name: 'test', level: 'info' });
  process.on('message', (line) => {
    logger.info(line);
    process.send(line);
  });`;

it('a full disk ends no process that logs to it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'hindsight-log-'));
  const file = join(folder, 'log');
  const out = openSync(file, 'a');
  const child = spawn(process.execPath, ['--input-type=module', '-e', LOGS], {
    cwd: ROOT,
    stdio: ['ignore', out, 'inherit', 'ipc'],
  });
  const ended = once(child, 'exit').then(() => ['it ended']);
  try {
    const log = async (line: string): Promise<unknown> => {
      child.send(line);
      const [answer] = (await Promise.race([once(child, 'message'), ended])) as unknown[];
      return answer;
    };
    expect(await log('before')).toBe('before');
    setFileSize(child.pid!, 0);
    expect(await log('while full')).toBe('while full');
    setFileSize(child.pid!, 'unlimited');
    expect(await log('after')).toBe('after');
    const lines = (): string[] => readFileSync(file, 'utf8').trimEnd().split('\n');
    await until('all lines are in the file', () => lines().length === 3);
    const messages = lines().map((line) => (JSON.parse(line) as { msg: string }).msg);
    expect(messages).toEqual(['before', 'while full', 'after']);
  } finally {
    child.kill('SIGKILL');
    await ended;
    closeSync(out);
    rmSync(folder, { recursive: true });
  }
});
