/** `npm run fuzz [CASES] [SEED]`: requests made up from the document, and what came of them. Ends with 1 for any fault. */
import { BALANCE_API } from '@hindsight/balance/service.ts';
import { startDevchain } from '@hindsight/devchain/devchain.ts';
import { templateOf } from '@hindsight/tools/openapi/document.ts';
import { AS_SHIPPED } from '../truth/networks.ts';
import { startService } from '../truth/service.ts';
import { fuzzCases, tryCase } from './fuzz.ts';

const WORKERS = 8;
const SHOWN_FAULTS = 20;
/** Cases are made in parts, as they take memory. */
const PART = 5_000;

const [count = 100_000, seed = Date.now() % 1_000_000] = process.argv.slice(2).map(Number);
const served = new Set(BALANCE_API.map(({ method, path }) => `${method} ${templateOf(path)}`));
const devchain = await startDevchain();
const service = await startService(devchain.url, AS_SHIPPED);
const counts = new Map<string, number>();
const times: number[] = [];
let faults = 0;
for (let done = 0; done < count; done += PART) {
  const cases = fuzzCases(served, Math.min(PART, count - done), seed + done).values();
  const worker = async (): Promise<void> => {
    for (const asked of cases) {
      const begun = performance.now();
      const { status, fault } = await tryCase(service.url, asked);
      times.push(performance.now() - begun);
      const key = `${asked.operation.operationId} ${status}`;
      counts.set(key, (counts.get(key) ?? 0) + 1);
      if (fault === undefined) continue;
      faults += 1;
      if (faults <= SHOWN_FAULTS) console.log(fault, asked.method, asked.path, asked.body?.text ?? '');
    }
  };
  await Promise.all(Array.from({ length: WORKERS }, worker));
}
for (const [key, number] of [...counts].sort()) console.log(key.padEnd(40), String(number).padStart(8));
times.sort((a, b) => a - b);
const at = (share: number): string => `${Math.round(times[Math.floor((times.length - 1) * share)] ?? 0)} ms`;
console.log(
  `\n${count} cases with seed ${seed}: ${faults} faults; p50 ${at(0.5)}, p99 ${at(0.99)}, slowest ${at(1)}`,
);
await service.stop();
await devchain.stop();
process.exitCode = faults === 0 ? 0 : 1;
