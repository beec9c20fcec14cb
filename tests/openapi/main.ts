/**
 * `npm run fuzz [CASES] [SEED] [MINUTES]`: requests made up from the document, and their results. Ends with 1
 * for any fault, and for a turn of the service's event loop that took a second.
 */
import { BALANCE_API } from '@hindsight/balance/service.ts';
import { startDevchain } from '@hindsight/devchain/devchain.ts';
import { templateOf } from '@hindsight/tools/openapi/document.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { runService } from '../support/service-process.ts';
import { fuzzCases, tryCase } from './fuzz.ts';

const IN_FLIGHT = 16;
const SHOWN_FAULTS = 20;
/** Cases are made in parts, as they take memory; each part has a seed by which it can be repeated. */
const PART = 1_000;
const LONGEST_TURN_MS = 1_000;

const [count = 100_000, seed = Date.now() % 1_000_000, minutes = Infinity] = process.argv
  .slice(2)
  .map(Number);
const deadline = performance.now() + minutes * 60_000;
const served = new Set(BALANCE_API.map(({ method, path }) => `${method} ${templateOf(path)}`));
const devchain = await startDevchain();
const service = await runService('balance', {
  ETH_RPC_URL: devchain.url,
  NODE_OPTIONS: `--import=${new URL('report-turns.ts', import.meta.url).href}`,
});
const counts = new Map<string, number>();
const times: number[] = [];
let done = 0;
let faults = 0;
let longest = 0;

// Discards the turns of the start.
await longestTurn();
for (let partSeed = seed; done < count && performance.now() < deadline; partSeed++) {
  const cases = fuzzCases(served, Math.min(PART, count - done), partSeed);
  await tryAll(cases, partSeed);
  done += cases.length;
  const turn = await longestTurn();
  longest = Math.max(longest, turn);
  console.log(`${done} of ${count}, seed ${partSeed}: ${faults} faults so far, longest turn ${turn} ms`);
}

for (const [key, number] of [...counts].sort()) console.log(key.padEnd(40), String(number).padStart(8));
times.sort((a, b) => a - b);
const at = (share: number): string => `${Math.round(times[Math.floor((times.length - 1) * share)] ?? 0)} ms`;
console.log(
  `\n${done} cases from seed ${seed} on: ${faults} faults; p50 ${at(0.5)}, p99 ${at(0.99)}, slowest ${at(1)}; ` +
    `longest turn of the event loop ${longest} ms of processor time`,
);
await service.end('SIGTERM');
await devchain.stop();
process.exitCode = faults === 0 && longest < LONGEST_TURN_MS ? 0 : 1;

async function tryAll(cases: ReturnType<typeof fuzzCases>, partSeed: number): Promise<void> {
  const waiting = cases.values();
  const worker = async (): Promise<void> => {
    for (const asked of waiting) {
      const begun = performance.now();
      const { status, fault } = await tryCase(service.url, asked);
      times.push(performance.now() - begun);
      const key = `${asked.operation.operationId} ${status}`;
      counts.set(key, (counts.get(key) ?? 0) + 1);
      if (fault === undefined) continue;
      faults += 1;
      if (faults > SHOWN_FAULTS) continue;
      console.log(`seed ${partSeed}:`, fault, asked.method, asked.path, asked.body?.text ?? '');
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, worker));
}

/** Milliseconds of the service's longest turn since the last time. */
async function longestTurn(): Promise<number> {
  const before = service.output().length;
  process.kill(service.pid, 'SIGUSR2');
  for (;;) {
    const [, microseconds] = /^longest turn (\d+)\n/m.exec(service.output().slice(before)) ?? [];
    if (microseconds !== undefined) return Math.round(Number(microseconds) / 1_000);
    await sleep(10);
  }
}
