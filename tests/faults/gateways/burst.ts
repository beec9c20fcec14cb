/** The burst limit over three gateways. */
import { expect, it } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { CHEAP_PATH } from '../../support/gateway-fleet.ts';
import { hammer } from '../../support/hammer.ts';
import { untilAllAnswer, type World } from './world.ts';

/** Low enough for a busy machine to exceed. */
const RATE = 8;
const WINDOW_MS = 10_000;
const MAX_ROUNDS = 10;

/** To be called in a `describe`. */
export function describeBurst(world: () => World): void {
  it('is shared: together never twice the rate over any ten seconds', async () => {
    const { fleet } = world();
    const { key } = await fleet.createProject(1_000_000, RATE);
    // From here on every gateway knows the project.
    await untilAllAnswer(fleet, key);
    // A machine that stands still for seconds asks for less than its share; a limit that is too low never admits it.
    let most = 0;
    for (let round = 0; round < MAX_ROUNDS && most < (RATE * 10) / 2; round++) {
      const begun = performance.now();
      let [admitted, refused] = [0, 0];
      while (performance.now() - begun < WINDOW_MS || refused === 0) {
        const load = { urls: fleet.urls, path: CHEAP_PATH, key, connections: 3 };
        const { statuses } = await hammer({ ...load, requests: 18 });
        admitted += statuses[200] ?? 0;
        refused += statuses[429] ?? 0;
        await sleep(100);
      }
      const seconds = (performance.now() - begun) / 1_000;
      process.stdout.write(`burst: ${JSON.stringify({ admitted, refused, seconds })}\n`);
      expect(admitted).toBeLessThanOrEqual(RATE * 2 * seconds);
      most = Math.max(most, admitted);
    }
    expect(most).toBeGreaterThanOrEqual((RATE * 10) / 2);
  });
}
