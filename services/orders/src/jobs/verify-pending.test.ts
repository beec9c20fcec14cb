import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { randomIds } from '@hindsight/kernel/ids.ts';
import { createLifecycle, type Lifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { until } from '@hindsight/kernel/test/support/until.ts';
import { recordOf } from '../../test/adapters/order-stores.contract.ts';
import { signedOrders } from '../../test/support/fixtures.ts';
import { openOrderStores, type OpenOrderStores } from '../adapters/open-stores.ts';
import { recoverSigner } from '../adapters/recover-signer.ts';
import type { ContractSignatures } from '../ports.ts';
import { createVerifyPendingJob } from './verify-pending.ts';

const silent = createLogger({ name: 'test', level: 'silent' });
let folder: string;
let lifecycle: Lifecycle;
let stores: OpenOrderStores;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'orders-pending-'));
  lifecycle = createLifecycle(silent);
  stores = await openOrderStores({ dataDir: folder }, { ids: randomIds, lifecycle });
});
afterEach(async () => {
  await lifecycle.shutdown('test');
  rmSync(folder, { recursive: true });
});

/** Stores pending orders, all due, and runs the job at a time in milliseconds until `done`. */
async function run(
  orders: number,
  now: number,
  check: ContractSignatures['check'],
  done: number,
  logger = silent,
) {
  for (let n = 1; n <= orders; n++)
    await stores.pending.add({ ...recordOf(n), claim: `c${n}`, digest: '0x', attempts: 0 }, 0);
  const seen = { verified: 0, dead: [] as string[] };
  const job = createVerifyPendingJob({
    contracts: { check, hasCode: async () => true },
    recovery: async () => recoverSigner,
    chainIds: [recordOf(1).payload.chainId],
    ...{ stores, logger, clock: { now: () => now }, lookEveryMs: 1_000_000 },
    publisher: {
      publish: async () => undefined,
      publishDeadLetter: async (_record, reason) => void seen.dead.push(reason),
    },
    onVerified: () => void (seen.verified += 1),
    onDeadLettered: () => undefined,
  });
  job.start();
  await until('all are decided', () => seen.verified + seen.dead.length === done);
  await job.stop();
  return seen;
}

it('goes on at once while more orders are due than it takes in a pass', async () => {
  const { receivedAt } = recordOf(1);
  const check: ContractSignatures['check'] = async (_question, options) => {
    // The wallet may be newer than the head that is remembered.
    expect(options.atNewHead).toBe(true);
    return 'right';
  };
  expect(await run(41, receivedAt, check, 41)).toEqual({ verified: 41, dead: [] });
});

it('asks no contract about an order whose deadline has passed', async () => {
  const { deadline } = recordOf(1).order;
  let asked = 0;
  const check = async () => {
    asked += 1;
    return 'right' as const;
  };
  const { verified, dead } = await run(1, (deadline + 1) * 1_000, check, 1);
  expect([asked, verified, dead]).toEqual([0, 0, [expect.stringContaining('could not be asked before')]]);
  // The second of the deadline is a part of it.
  expect(await run(1, deadline * 1_000 + 999, check, 1)).toEqual({ verified: 1, dead: [] });
});

it('verifies an order that the key of an account without code has signed, and no other', async () => {
  const { body, digest } = signedOrders().find(({ title }) => title.startsWith('Dutch_V2 exclusive'))!;
  const { payload, order, ...rest } = recordOf(7);
  const { signature, offerer: swapper } = body;
  const signed = { ...rest, payload: { ...payload, signature }, order: { ...order, swapper } };
  // Its code was there when the order was received.
  await stores.pending.add({ ...signed, claim: 'signed', digest, attempts: 0 }, 0);
  expect(await run(1, rest.receivedAt, async () => 'no-contract', 2)).toEqual({
    verified: 1,
    dead: [expect.stringContaining('no contract')],
  });
  expect(await stores.orders.has(rest.id)).toBe(true);
});

it('verifies the others where one fails, and the log says so', async () => {
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  const logger = createLogger({ name: 'test', level: 'warn', destination });
  let asked = 0;
  const check = async () => {
    if ((asked += 1) === 2) throw new Error('out of order');
    return 'right' as const;
  };
  const { receivedAt } = recordOf(1);
  expect(await run(3, receivedAt, check, 2, logger)).toEqual({ verified: 2, dead: [] });
  expect(lines).toEqual([expect.stringMatching(/out of order.*a job failed; trying again/)]);
});

it('leaves the orders of other chains for a minute to the processes that can ask their contracts', async () => {
  const { payload, receivedAt, ...rest } = recordOf(9);
  const other = { ...rest, receivedAt, payload: { ...payload, chainId: 77 }, digest: '0x', attempts: 0 };
  await stores.pending.add({ ...other, claim: 'other' }, receivedAt - 59_000);
  expect(await run(1, receivedAt, async () => 'right', 1)).toEqual({ verified: 1, dead: [] });
  // None has.
  expect(await run(1, receivedAt + 1_000, async () => 'right', 2)).toEqual({ verified: 2, dead: [] });
});
