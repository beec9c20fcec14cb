/** The memory of another process (RSS), in MiB. */
import { execFileSync } from 'node:child_process';
import type { ServiceProcess } from './service-process.ts';

const KIB_OF_MIB = 1_024;
const LOOK_EVERY_MS = 500;

/** Its memory now. */
export function mibOf({ pid }: Pick<ServiceProcess, 'pid'>): number {
  return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)])) / KIB_OF_MIB;
}

/** Samples it until `stop`. `most`: the highest sample since the last call of `most`. */
export function watchMemory(service: Pick<ServiceProcess, 'pid'>): { most(): number; stop(): void } {
  let most = 0;
  const look = (): number => (most = Math.max(most, mibOf(service)));
  const timer = setInterval(look, LOOK_EVERY_MS);
  return {
    most() {
      const found = look();
      most = 0;
      return found;
    },
    stop: () => clearInterval(timer),
  };
}
