/**
 * Waits for a stopped process to stand still: SIGSTOP reaches thread by thread, and until the last has
 * stopped, the process may still answer.
 */
import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

const LOOK_EVERY_MS = 2;
const WITHIN_MS = 10_000;
/** The first field behind the name, which ends with the last parenthesis (proc(5), "/proc/pid/stat"): stopped, traced, dead. */
const STANDS_STILL = /^.*\) [TtXZ] /s;

/**
 * Resolves once every thread of a process that was sent SIGSTOP is stopped, or the process is gone. If the system does
 * not list threads (no `/proc`), it resolves at once.
 * @throws when a thread still runs after 10 s.
 */
export async function standstill(pid: number): Promise<void> {
  const deadline = performance.now() + WITHIN_MS;
  while (!(await everyThreadStandsStill(pid))) {
    if (performance.now() > deadline) throw new Error(`process ${pid} was stopped and still runs`);
    await sleep(LOOK_EVERY_MS);
  }
}

async function everyThreadStandsStill(pid: number): Promise<boolean> {
  const tasks = await readdir(`/proc/${pid}/task`).catch(() => []);
  for (const task of tasks) {
    // A thread that has ended in between has no state.
    const stat = await readFile(`/proc/${pid}/task/${task}/stat`, 'latin1').catch(() => undefined);
    if (stat !== undefined && !STANDS_STILL.test(stat)) return false;
  }
  return true;
}
