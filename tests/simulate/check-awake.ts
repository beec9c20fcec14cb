/** Once all faults are over, each instance of the balance service answers. */
import { exchange } from './http.ts';
import type { Machine } from './machine/machine.ts';
import type { Place } from './place.ts';

const WITHIN_MS = 30_000;

/** @returns the broken promises */
export async function checkAwake(machine: Machine, balance: readonly Place[]): Promise<string[]> {
  const broken: string[] = [];
  let open = 0;
  for (const { name, app, process } of balance) {
    if (app === undefined || !process.alive) {
      broken.push(`${name} is not up`);
      continue;
    }
    open++;
    const request = { path: '/v1/eth-mainnet/block', headers: {}, patienceMs: WITHIN_MS };
    exchange(machine, { process, app }, request, (answer) => {
      open--;
      if (answer?.status !== 200)
        broken.push(`${name} answers ${answer?.status ?? 'nothing'} without faults`);
    });
  }
  await machine.settle(2 * WITHIN_MS, () => open === 0);
  return broken;
}
