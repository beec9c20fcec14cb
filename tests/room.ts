/** Room on the machine for one more suite. */
import { availableParallelism, loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';

/** Processes that run or would, for each core. With more of them no suite is done sooner, and limits of time are missed. */
const CROWD = 6;

/** A worker's place among jest's, from 1, and the machine. */
interface Place {
  readonly worker: number;
  readonly cores: number;
  /** Processes that ran or would have, over the last minute. */
  readonly load: number;
}

/** Workers beyond the cores are there for the time in which suites wait: they rest on a crowded machine. */
export const mustRest = ({ worker, cores, load }: Place): boolean => worker > cores && load > cores * CROWD;

/** Resolves once this worker may start a suite. */
export async function untilRoom(): Promise<void> {
  const place = { worker: Number(process.env.JEST_WORKER_ID), cores: availableParallelism() };
  while (mustRest({ ...place, load: loadavg()[0]! })) await sleep(1_000);
}
