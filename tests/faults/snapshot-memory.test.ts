/** A snapshot's memory does not grow with its length. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { sharedDevchain } from '@hindsight/tools/servers/shared-devchain.ts';
import type { Devchain } from '@hindsight/devchain/devchain.ts';
import { CHAIN, HOLDERS, TOKENS } from '@hindsight/devchain/world.ts';
import { buildPlan } from '@hindsight/devchain/plan.ts';
import { execFileSync } from 'node:child_process';
import { runService, type RunningService } from '../support/service-process.ts';

const WARM_UP = 20_000;
const ROWS = 100_000;
/** A small heap, so that the process's memory is what it needs, without uncollected garbage. */
const HEAP = '--max-old-space-size=128';
/** Of the answer between two readings of the memory. */
const LOOK_EVERY_BYTES = 1024 * 1024;
const MIB = 1024 * 1024;
const MAX_GROWTH_MIB = 150;
const { alice } = HOLDERS;
const TOKEN = TOKENS.uni.address;
const HEIGHT = CHAIN.head - 100;

let devchain: Devchain;
let balance: RunningService;

beforeAll(async () => {
  devchain = await sharedDevchain(process.env);
  balance = await runService('balance', {
    ETH_RPC_URL: devchain.url,
    NODE_OPTIONS: HEAP,
  });
});
afterAll(async () => {
  await balance.end('SIGTERM');
  await devchain.stop();
});

function rss(): number {
  return (Number(execFileSync('ps', ['-o', 'rss=', '-p', String(balance.pid)])) * 1024) / MIB;
}

/** Every hundredth holder has a balance. @returns the highest memory seen, in MiB */
async function snapshot(rows: number): Promise<number> {
  const holder = (i: number): string => (i % 100 === 0 ? alice : `0x${i.toString(16).padStart(40, '1')}`);
  const response = await fetch(
    `${balance.url}/v1/eth-mainnet/balance/snapshot?token_address=${TOKEN}&block_height=${HEIGHT}`,
    {
      method: 'POST',
      headers: { 'content-type': 'text/plain' },
      body: Array.from({ length: rows }, (_, i) => holder(i)).join('\n'),
    },
  );
  let [most, last, unseen] = [rss(), '', 0];
  for await (const part of response.body!) {
    last = (last + Buffer.from(part).toString('latin1')).slice(-500);
    unseen += part.length;
    if (unseen < LOOK_EVERY_BYTES) continue;
    unseen = 0;
    most = Math.max(most, rss());
  }
  const sum = (BigInt(rows) / 100n) * buildPlan().ledger.balanceAt(TOKEN, alice, HEIGHT);
  expect(last).toContain(
    `{"record":"end","holders":${rows},"errors":0,"sum":"${sum}","units":${rows / 100}}`,
  );
  return most;
}

it(`a snapshot of ${ROWS.toLocaleString('en')} holders is right, and takes little more memory than a short one`, async () => {
  // Memory of a process that has worked: its code, its young generation, the windows under way.
  await snapshot(WARM_UP);
  const idle = rss();
  const most = await snapshot(ROWS);
  process.stdout.write(
    `a snapshot of ${ROWS} holders: ${most.toFixed()} MiB at most, ${idle.toFixed()} MiB before\n`,
  );
  expect(most - idle).toBeLessThan(MAX_GROWTH_MIB);
});
