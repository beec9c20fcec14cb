/** Processor time by Linux' own books (`/proc`): of processes with their children, and of all others. */
import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';

/** The kernel's clock ticks a second (USER_HZ). */
const TICKS = 100;

interface ProcessTimes {
  readonly parent: number;
  /** Seconds, those of children that ended included. */
  readonly seconds: number;
}

/** Seconds of processor time that a process and its descendants have used. */
export function cpuSeconds(pid: number): number {
  const table = processTable();
  let seconds = 0;
  const belongs = (one: number): boolean => {
    for (let at: number | undefined = one; at !== undefined && at > 1; at = table.get(at)?.parent) {
      if (at === pid) return true;
    }
    return false;
  };
  for (const [one, times] of table) if (belongs(one)) seconds += times.seconds;
  return seconds;
}

/** Measures the use by processes other than this one and its descendants from now on. */
export function watchOthers(): { /** @returns their share of all cores, 0 to 1 */ share(): number } {
  const before = othersSeconds();
  const begun = performance.now();
  return {
    share() {
      const seconds = (performance.now() - begun) / 1_000;
      return Math.max(othersSeconds() - before, 0) / (seconds * availableParallelism());
    },
  };
}

/** Interrupts are left out: the load itself causes them. */
function othersSeconds(): number {
  const [, user = 0, nice = 0, system = 0, , , , , steal = 0] = readFileSync('/proc/stat', 'utf8')
    .slice(0, 200)
    .split(/\s+/, 9)
    .map(Number);
  return (user + nice + system + steal) / TICKS - cpuSeconds(process.pid);
}

function processTable(): Map<number, ProcessTimes> {
  const table = new Map<number, ProcessTimes>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
      const fields = stat
        .slice(stat.lastIndexOf(')') + 2)
        .split(' ')
        .map(Number);
      const [parent = 0] = fields.slice(1, 2);
      const ticks = fields.slice(11, 15).reduce((sum, one) => sum + one, 0);
      table.set(Number(name), { parent, seconds: ticks / TICKS });
    } catch {
      // It has ended in between.
    }
  }
  return table;
}

/** Memory that a process holds (RSS), without its children. */
export function residentMib(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024;
}
