/** The follower of `follower.ts` as a child process, and the lines of its file. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { machineEnv } from '../machine.ts';

const SCRIPT = join(import.meta.dirname, 'follower.ts');

/** A line: the id of an event, and the order's. */
export interface FollowedLine {
  readonly event: string;
  readonly order: string;
}

/** Starts a follower, which resumes behind the last line of the file. */
export function startFollower(file: string, url: string, key: string): ChildProcess {
  return spawn(process.execPath, [SCRIPT, file], {
    env: { ...machineEnv(), HINDSIGHT_URL: url, HINDSIGHT_API_KEY: key },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

/** Sends SIGKILL, and waits until the process has ended. */
export async function killFollower(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'close');
  child.kill('SIGKILL');
  await ended;
}

/** The lines of the file, without one that is half written. */
export function linesOf(file: string): readonly FollowedLine[] {
  const text = readFileSync(file, 'utf8');
  const end = text.lastIndexOf('\n');
  if (end < 0) return [];
  return text
    .slice(0, end)
    .split('\n')
    .map((line) => {
      const [event = '', order = ''] = line.split(' ');
      return { event, order };
    });
}
