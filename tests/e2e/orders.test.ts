/** Orders through `npm start` and back out of `npm run events`. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { sharedDevchain } from '@hindsight/tools/servers/shared-devchain.ts';
import { makeFastKey } from '../support/fast-key.ts';
import { startHindsight, type HindsightProcess } from '../support/hindsight-process.ts';
import { makeOrder } from '../support/orders/signed-orders.ts';
import { machineEnv } from '../support/machine.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const PATH = '/v1/eth-mainnet/orders/dex-webhook';

let dataDir: string;
let running: HindsightProcess;
let key: string;

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'hindsight-e2e-'));
  const { url } = await sharedDevchain(process.env);
  running = await startHindsight({ DATA_DIR: dataDir, ETH_RPC_URL: url });
  key = await makeFastKey(dataDir);
});

afterAll(async () => {
  await running?.end('SIGKILL');
  rmSync(dataDir, { recursive: true, force: true });
});

async function post(body: string | ReadableStream, headers: Record<string, string> = {}) {
  const all = { 'content-type': 'application/json', 'x-api-key': key, ...headers };
  const init = { method: 'POST', headers: all, body, duplex: 'half' } as RequestInit;
  const response = await fetch(running.url + PATH, init);
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

async function events(...args: string[]): Promise<{ code: number | null; lines: string[]; errors: string }> {
  const settings = { ...machineEnv(), DATA_DIR: dataDir };
  const child = spawn(process.execPath, ['standalone/src/events/main.ts', ...args], {
    cwd: ROOT,
    env: settings,
    timeout: 600_000,
  });
  let output = '';
  let errors = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  const code = await new Promise<number | null>((done) => child.once('close', done));
  return { code, lines: output.split('\n').filter((line) => line !== ''), errors };
}

describe('an order', () => {
  const [first, second] = [makeOrder(1n), makeOrder(2n)];

  it('is accepted once and recognised the second time', async () => {
    const { orderHash } = JSON.parse(first.body) as { orderHash: string };
    expect(await post(first.body)).toEqual({
      status: 201,
      body: { orderHash, chainId: 1, duplicate: false },
    });
    expect(await post(first.body)).toEqual({ status: 201, body: { orderHash, chainId: 1, duplicate: true } });
  });

  it('needs a key', async () => {
    expect(await post(first.body, { 'x-api-key': '' })).toMatchObject({
      status: 401,
      body: { error: 'Unauthorized' },
    });
  });

  it('is refused with a reason, through the gateway', async () => {
    const altered = JSON.stringify({
      ...(JSON.parse(first.body) as object),
      orderHash: `0x${'00'.repeat(32)}`,
    });
    expect(await post(altered)).toMatchObject({ status: 422, body: { error: 'Unprocessable Entity' } });
    expect(await post('{')).toMatchObject({ status: 400, body: { message: 'body: it is not valid JSON' } });
    expect(await post('')).toMatchObject({ status: 400 });
    expect(await post(first.body, { 'content-type': 'text/plain' })).toMatchObject({ status: 415 });
  });

  it('is refused above 64 KiB, whether its length is declared or not', async () => {
    const large = JSON.stringify({ quoteId: 'a'.repeat(70_000) });
    expect(await post(large)).toMatchObject({
      status: 413,
      body: { error: 'Payload Too Large', statusCode: 413 },
    });
    expect(await post(new Blob([large]).stream())).toMatchObject({ status: 413 });
  });

  it('is accepted without a declared length', async () => {
    expect(await post(new Blob([second.body]).stream())).toMatchObject({
      status: 201,
      body: { duplicate: false },
    });
  });

  it('appears in npm run events, from the beginning for a new group, and after its last event for a known one', async () => {
    const options = ['--topic', 'orders.received', '--json', '--limit', '1'];
    const one = await events(...options, '--group', 'g');
    const two = await events(...options, '--group', 'g');
    expect([one.code, two.code]).toEqual([0, 0]);
    const seen = [...one.lines, ...two.lines].map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(seen.map(({ id }) => id).sort()).toEqual([first.id, second.id].sort());
    expect(seen[0]).toMatchObject({ specversion: '1.0', type: 'order-received', data: { chainId: 1 } });
    const others = await events('--topic', 'orders.received', '--limit', '2', '--group', 'another');
    expect(others.lines).toHaveLength(2);
  });

  it('cannot be read from an unknown topic', async () => {
    const { code, errors } = await events('--topic', 'orders', '--group', 'g');
    expect(code).toBe(1);
    expect(errors).toContain('orders.received');
  });
});

it('allows POST only', async () => {
  const response = await fetch(running.url + PATH, { headers: { 'x-api-key': key } });
  expect(response.status).toBe(405);
  const allowed = response.headers.get('allow')?.split(', ');
  expect(allowed).toContain('POST');
  expect(allowed).not.toContain('GET');
});
