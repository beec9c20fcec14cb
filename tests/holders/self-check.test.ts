/** The self-check: an index of the dev chain is compared with the chain, and told where it differs. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ETH_MAINNET } from '@hindsight/chain/networks.ts';
import { openNode } from '@hindsight/chain/pool/open-node.ts';
import type { Devchain } from '@hindsight/devchain/devchain.ts';
import { CHAIN, TOKENS } from '@hindsight/devchain/world.ts';
import {
  connectBalanceApi,
  createHolders,
  openHolderIndex,
  type HolderIndex,
} from '@hindsight/holders/service.ts';
import type { HttpServer } from '@hindsight/http/types.ts';
import { systemClock } from '@hindsight/kernel/clock.ts';
import { randomIds } from '@hindsight/kernel/ids.ts';
import { createLifecycle, type Lifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { createTelemetry } from '@hindsight/kernel/telemetry/telemetry.ts';
import { until } from '@hindsight/kernel/test/support/until.ts';
import { sharedDevchain } from '@hindsight/tools/servers/shared-devchain.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runBalance, type RunningBalance } from '../../services/balance/test/support/run-balance.ts';

const track = TOKENS.usdc.address.toLowerCase();
const logger = createLogger({ name: 'holders', level: 'silent' });
const COMPARISONS = 8;

let devchain: Devchain;
let balance: RunningBalance;
const folders: string[] = [];

beforeAll(async () => {
  devchain = await sharedDevchain(process.env);
  balance = await runBalance(devchain.url);
});
afterAll(async () => {
  await balance.stop();
  await devchain.stop();
  for (const folder of folders) rmSync(folder, { recursive: true });
});

const lineOf = async (app: HttpServer): Promise<string> => {
  const { parts } = JSON.parse((await app.inject({ url: '/readyz?verbose' })).payload) as {
    parts: { name: string; detail: string }[];
  };
  return parts.find(({ name }) => name === 'index of holders')?.detail ?? '';
};

/** Runs the service until it has compared some times. @returns what `/readyz` says of the index */
async function checked(
  tracks: readonly string[],
  keep: (index: HolderIndex) => HolderIndex,
): Promise<string> {
  const lifecycle: Lifecycle = createLifecycle(logger);
  const dataDir = mkdtempSync(join(tmpdir(), 'holders-'));
  folders.push(dataDir);
  const api = connectBalanceApi(balance.url);
  lifecycle.onStop('balance', () => api.close());
  const bounds = { memoryMb: 128, threads: 1 };
  try {
    const app = createHolders({
      index: keep(await openHolderIndex(ETH_MAINNET, { dataDir, bounds }, lifecycle)),
      tracks,
      network: ETH_MAINNET,
      node: await openNode({ urls: [devchain.url], timeoutMs: 60_000 }, ETH_MAINNET, { logger, lifecycle }),
      balance: api,
      logger,
      lifecycle,
      clock: systemClock,
      ids: randomIds,
      telemetry: createTelemetry('holders'),
      settings: { fromBlock: CHAIN.genesis, pollMs: 50 },
      checksPerMinute: 600,
      deadlineMs: 60_000,
    });
    const compared = async (): Promise<number> =>
      Number(/; (\d+) comparisons/.exec(await lineOf(app))?.[1] ?? 0);
    await until('it has compared', async () => (await compared()) >= COMPARISONS);
    return await lineOf(app);
  } finally {
    await lifecycle.shutdown('the end of the check');
  }
}

const asItIs = (index: HolderIndex): HolderIndex => index;

describe('the self-check', () => {
  it('finds no difference in the index of a token, and sums that are the supply', async () => {
    const said = await checked([track], asItIs);
    expect(said).toContain('no difference');
    const [, equal, of] = /, (\d+) of (\d+) sums are the supply/.exec(said) ?? [];
    expect([Number(of) > 0, equal]).toEqual([true, of]);
  });

  it('finds none in the index of all tokens', async () => {
    expect(await checked(['*'], asItIs)).toContain('no difference');
  });

  it.each([
    ['lacks points', (block: number) => block % 3 !== 0],
    ['lacks all of them', () => false],
  ])('finds that an index %s', async (_what, isKept) => {
    const said = await checked([track], (index) => ({
      ...index,
      append: (of, base, range) =>
        index.append(of, base, { ...range, points: range.points.filter(({ block }) => isKept(block)) }),
    }));
    expect(said).toMatch(/points, [1-9]\d* DIFFERENCES/);
  });

  it('finds points that the chain does not have', async () => {
    const foreign = `0x${'ab'.repeat(20)}`;
    const said = await checked([track], (index) => ({
      ...index,
      append: (of, base, range) =>
        index.append(of, base, {
          ...range,
          points: [...range.points, { token: track, holder: foreign, id: null, block: range.to }],
        }),
    }));
    expect(said).toMatch(/points, [1-9]\d* DIFFERENCES/);
  });
});
