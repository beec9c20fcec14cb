/** Waits for a server that begins together with this process. */
import { setTimeout as sleep } from 'node:timers/promises';
import { OtherIndexVersion } from './domain/index-version.ts';

/** It takes some seconds. */
const WAIT_MS = 30_000;
const AGAIN_MS = 1_000;

/** Tries until it works. @throws the fault of the last trial */
export async function onceThere(work: () => Promise<void>): Promise<void> {
  for (const until = performance.now() + WAIT_MS; ; await sleep(AGAIN_MS)) {
    try {
      return await work();
    } catch (error) {
      if (error instanceof OtherIndexVersion || performance.now() >= until) throw error;
    }
  }
}
