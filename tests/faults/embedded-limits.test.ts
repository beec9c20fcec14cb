/** The embedded default under the same faults as the production topology, with its one gateway. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { HOLDERS, TOKENS } from '@hindsight/devchain/world.ts';
import { freePort } from '@hindsight/tools/servers/ports.ts';
import { sharedDevchain } from '@hindsight/tools/servers/shared-devchain.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { runAdmin } from '../support/admin.ts';
import { hammer } from '../support/hammer.ts';
import { startHindsight, type HindsightProcess } from '../support/hindsight-process.ts';
import { untilMonthLasts } from '../support/one-month.ts';

const PATH = `/v1/eth-mainnet/balance/single?token_address=${TOKENS.usdc.address}&holder=${HOLDERS.alice}&block_height=18000100`;
const LIMIT = 2_000;
const CONNECTIONS = 64;
const COUNTED_WITHIN_MS = 600_000;
const MAX_ROUNDS = 20;

const folder = mkdtempSync(join(tmpdir(), 'hindsight-limit-'));
let settings: Record<string, string>;
let hindsight: HindsightProcess;

beforeAll(async () => {
  await untilMonthLasts();
  const { url } = await sharedDevchain(process.env);
  settings = { DATA_DIR: join(folder, 'data'), PORT: String(await freePort()), ETH_RPC_URL: url };
  hindsight = await startHindsight(settings);
});

afterAll(async () => {
  await hindsight?.end('SIGTERM');
  rmSync(folder, { recursive: true, force: true });
});

describe('the monthly limit of one process on the embedded default', () => {
  const createProject = async (limit: number): Promise<{ project: string; key: string }> => {
    const limits = ['--monthly-limit', String(limit), '--rate', '100000'];
    const words = ['project', 'create', '--name', 'hammer', '--plan', 'enterprise', ...limits, '--json'];
    const { stdout } = await runAdmin({ DATA_DIR: settings.DATA_DIR! }, ...words);
    return JSON.parse(stdout) as { project: string; key: string };
  };
  const used = async (key: string): Promise<number> => {
    const response = await fetch(`${hindsight.url}/v1/usage`, { headers: { 'x-api-key': key } });
    return ((await response.json()) as { requests: { used: number } }).requests.used;
  };
  const untilUsed = async (key: string, expected: number): Promise<number> => {
    for (const end = Date.now() + COUNTED_WITHIN_MS; Date.now() < end; await sleep(200)) {
      if ((await used(key)) === expected) break;
    }
    return used(key);
  };
  const load = (key: string, requests: number) => ({
    urls: [hindsight.url],
    path: PATH,
    key,
    requests,
    connections: CONNECTIONS,
  });

  it('is exact, and counted exactly', async () => {
    const { key, project } = await createProject(LIMIT);
    const { statuses, cutOff } = await hammer({ ...load(key, LIMIT + 1_000), insist: true });
    const counted = await untilUsed(key, LIMIT);
    process.stdout.write(`embedded: ${JSON.stringify({ statuses, cutOff, counted })}\n`);
    expect([statuses, cutOff, counted]).toEqual([{ 200: LIMIT, 429: 1_000 }, 0, LIMIT]);
    const { stdout } = await runAdmin({ DATA_DIR: settings.DATA_DIR! }, 'usage', 'show', project, '--json');
    expect(JSON.parse(stdout)).toMatchObject({ requests: { used: LIMIT }, heldByGateways: 0 });
  });

  it('holds across a kill -9 in the middle; no answered request is forgotten', async () => {
    const { key } = await createProject(LIMIT);
    let restarted: Promise<void> | undefined;
    const killAndRestart = async (): Promise<void> => {
      await hindsight.end('SIGKILL');
      hindsight = await startHindsight(settings);
    };
    const onAnswer = (answers: number): void => {
      if (answers >= LIMIT / 4) restarted ??= killAndRestart();
    };
    const first = await hammer({ ...load(key, LIMIT), onAnswer });
    await restarted;
    let answered = first.statuses[200] ?? 0;
    for (const end = Date.now() + COUNTED_WITHIN_MS; Date.now() < end; await sleep(300)) {
      const { statuses } = await hammer({ ...load(key, 300), connections: 8 });
      answered += statuses[200] ?? 0;
      if (statuses[200] === undefined && (await used(key)) === LIMIT) break;
    }
    const counted = await untilUsed(key, LIMIT);
    const cutOffAndCounted = counted - answered;
    const line = { first: first.statuses, cutOff: first.cutOff, answered, counted, cutOffAndCounted };
    process.stdout.write(`embedded, killed and restarted: ${JSON.stringify(line)}\n`);
    expect(counted).toBe(LIMIT);
    expect(cutOffAndCounted).toBeGreaterThanOrEqual(0);
    expect(cutOffAndCounted).toBeLessThanOrEqual(Math.min(CONNECTIONS, first.cutOff));
  });
});

describe('the demo key', () => {
  /** Forty at once, repeated if a slow machine refused none. @returns why some were refused */
  const refusals = async (): Promise<Set<string>> => {
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const why = await refusalsOfForty();
      if (why.size > 0) return why;
    }
    return new Set();
  };

  /** Each for another visitor, as a proxy would report it. */
  const refusalsOfForty = async (): Promise<Set<string>> => {
    const answers = await Promise.all(
      Array.from({ length: 40 }, async (_, visitor) => {
        const headers = { 'x-api-key': hindsight.demoKey, 'x-forwarded-for': `203.0.113.${visitor}` };
        const response = await fetch(hindsight.url + PATH, { headers });
        return { status: response.status, body: (await response.json()) as { message?: string } };
      }),
    );
    const refused = answers.filter(({ status }) => status === 429);
    return new Set(
      refused.map(({ body }) => (body.message?.includes('from one address') ? 'address' : 'project')),
    );
  };

  it('is limited by client address, which a client cannot choose', async () => {
    expect([...(await refusals())]).toEqual(['address']);
  });

  it('is limited by the address that a trusted proxy reports', async () => {
    await hindsight.end('SIGTERM');
    hindsight = await startHindsight({ ...settings, TRUST_PROXY: '127.0.0.1' });
    expect([...(await refusals())]).toEqual(['project']);
  });
});
