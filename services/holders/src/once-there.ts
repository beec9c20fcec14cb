/** Waits for a ClickHouse that begins together with this process. */
import { setTimeout as sleep } from 'node:timers/promises';
import { StoreUnavailable } from '@hindsight/stores/unavailable.ts';
import { OtherIndexVersion } from './domain/index-version.ts';

/** It takes some seconds. */
const WAIT_MS = 30_000;
const AGAIN_MS = 1_000;

/** Tries until it works. @throws {OtherIndexVersion} {StoreUnavailable} with the fault of the last trial */
export async function onceThere(work: () => Promise<void>): Promise<void> {
  for (const until = performance.now() + WAIT_MS; ; await sleep(AGAIN_MS)) {
    try {
      return await work();
    } catch (error) {
      if (error instanceof OtherIndexVersion) throw error;
      // The client's own words, such as "Timeout error.", name no server.
      if (performance.now() >= until) throw new StoreUnavailable('ClickHouse', error);
    }
  }
}
