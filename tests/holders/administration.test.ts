/** Tracks that are added and removed by the administration while the service runs, on the dev chain. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ETH_MAINNET } from '@hindsight/chain/networks.ts';
import { openNode } from '@hindsight/chain/pool/open-node.ts';
import type { Devchain } from '@hindsight/devchain/devchain.ts';
import { CHAIN, TOKENS } from '@hindsight/devchain/world.ts';
import { ALL_TOKENS, createHolders, openHolderIndex, openTrackBook } from '@hindsight/holders/service.ts';
import { connectService } from '@hindsight/http/http-service.ts';
import type { HttpServer } from '@hindsight/http/types.ts';
import { systemClock } from '@hindsight/kernel/clock.ts';
import { randomIds } from '@hindsight/kernel/ids.ts';
import { createLifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { createTelemetry } from '@hindsight/kernel/telemetry/telemetry.ts';
import { until } from '@hindsight/kernel/test/support/until.ts';
import { sharedDevchain } from '@hindsight/tools/servers/shared-devchain.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runBalance, type RunningBalance } from '../../services/balance/test/support/run-balance.ts';
import { runAdminHere } from '../support/admin-here.ts';
import { runAdmin, type AdminRun } from '../support/admin.ts';

const { usdc, uni } = TOKENS;
const logger = createLogger({ name: 'holders', level: 'silent' });
const lifecycle = createLifecycle(logger);
const dataDir = mkdtempSync(join(tmpdir(), 'holders-'));

let devchain: Devchain;
let balance: RunningBalance;
let app: HttpServer;
let index: Awaited<ReturnType<typeof openHolderIndex>>;

beforeAll(async () => {
  devchain = await sharedDevchain(process.env);
  balance = await runBalance(devchain.url);
  const api = connectService('balance', balance.url);
  lifecycle.onStop('balance', () => api.close());
  index = await openHolderIndex(ETH_MAINNET, { dataDir, bounds: { memoryMb: 128, threads: 1 } }, lifecycle);
  app = createHolders({
    index,
    book: await openTrackBook(ETH_MAINNET.name, { dataDir }, lifecycle),
    tracks: [uni.address.toLowerCase()],
    network: ETH_MAINNET,
    node: await openNode({ urls: [devchain.url], timeoutMs: 60_000 }, ETH_MAINNET, { logger, lifecycle }),
    balance: api,
    logger,
    lifecycle,
    clock: systemClock,
    ids: randomIds,
    telemetry: createTelemetry('holders'),
    settings: { fromBlock: CHAIN.story, pollMs: 50 },
    deadlineMs: 60_000,
  });
});
afterAll(async () => {
  await lifecycle.shutdown('the end of the test');
  await balance.stop();
  await devchain.stop();
  rmSync(dataDir, { recursive: true });
});

const settings = (): Record<string, string> => ({ DATA_DIR: dataDir, ETH_RPC_URL: devchain.url });
const admin = (...words: string[]): Promise<AdminRun> => runAdminHere(settings(), 'index', ...words);
/** The same in a process of its own, as operators run it beside the service. */
const adminApart = (...words: string[]): Promise<AdminRun> => runAdmin(settings(), 'index', ...words);

const read = ({ code, stdout, stderr }: AdminRun): Record<string, unknown> => {
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout) as Record<string, unknown>;
};

const statusOf = async (token: string): Promise<number> => {
  const query = new URLSearchParams({ token_address: token, block_height: '18000000' }).toString();
  return (await app.inject({ url: `/v1/eth-mainnet/token/holders?${query}` })).statusCode;
};

describe('admin index', () => {
  it('estimates what a token would take, from the block in which it was made', async () => {
    const found = read(await admin('estimate', usdc.address, '--json'));
    expect(found.from).toBeGreaterThan(CHAIN.story);
    // Its first event is some blocks later.
    expect(found.from).toBeLessThanOrEqual(usdc.since);
    expect(found.logs).toBeGreaterThan(20);
    expect(found.rows).toBeGreaterThan(20);
    expect(found.bytes).toBe(Number(found.rows) * 20);
    const people = await admin('estimate', 'all', '--from', String(CHAIN.story));
    expect(people.stdout).toMatch(/^track +all\nblocks +\d+, from \d+ to \d+\n/);
  });

  it('has a token indexed while the service runs, says how far it is, and removes it with its rows', async () => {
    expect(await statusOf(usdc.address)).toBe(409);
    const added = read(await adminApart('add', usdc.address, '--json'));
    const { fromBlock } = added;
    expect(added).toEqual({
      track: usdc.address.toLowerCase(),
      fromBlock: expect.any(Number),
      isTaken: true,
    });
    await until('it is indexed', async () => (await statusOf(usdc.address)) === 200);
    expect((await admin('add', usdc.address)).stderr).toContain('is wanted already');
    await until('the report has it', async () => {
      const { tracks } = read(await admin('status', '--json')) as { tracks: Record<string, unknown>[] };
      const line = tracks.find(({ track }) => track === usdc.address.toLowerCase());
      return line?.missing === 0 && line.from === fromBlock;
    });
    const people = await adminApart('status');
    expect(people.stdout).toMatch(
      new RegExp(`^eth-mainnet +${uni.address.toLowerCase()} .*following: block`, 'm'),
    );
    const ready = await app.inject({ url: '/readyz?verbose' });
    expect(ready.payload).toContain('the furthest behind of 2');
    const { rows: before } = await index.size();
    expect(read(await adminApart('remove', usdc.address, '--json'))).toEqual({
      track: usdc.address.toLowerCase(),
      isGone: true,
    });
    expect(await statusOf(usdc.address)).toBe(409);
    expect(await statusOf(uni.address)).toBe(200);
    expect(await index.position(usdc.address.toLowerCase())).toBeNull();
    expect((await index.size()).rows).toBeLessThan(before);
  });

  it('removes nothing that INDEX_TOKENS names, and adds nothing twice', async () => {
    const removed = await admin('remove', uni.address);
    expect([removed.code, removed.stderr]).toEqual([1, expect.stringContaining('INDEX_TOKENS')]);
    expect((await admin('add', uni.address)).stderr).toContain('INDEX_TOKENS');
    expect(await statusOf(uni.address)).toBe(200);
  });

  it.each([
    [['add', 'alice.eth'], 'is no address'],
    [['add', `${usdc.address},${uni.address}`], 'expected one address'],
    [['add', usdc.address, '--network', 'nowhere'], 'expected one of eth-mainnet'],
    [['estimate', usdc.address, '--from', '-1'], 'expected a block number'],
    [['estimate', '0x00000000000000000000000000000000000000aa'], 'give --from'],
    [['estimate', usdc.address, '--from', '99999999999'], 'no finalized block'],
  ])('refuses %j', async (words, why) => {
    const { code, stderr } = await admin(...words);
    expect([code, stderr]).toEqual([1, expect.stringContaining(why)]);
  });

  it('asks the nodes of the given network, and no others', async () => {
    const words = ['index', 'estimate', 'all', '--network', 'base-mainnet'];
    const unset = await admin(...words.slice(1));
    expect([unset.code, unset.stderr]).toEqual([2, expect.stringContaining('BASE_RPC_URL is not set')]);
    const wrong = await runAdminHere({ DATA_DIR: dataDir, BASE_RPC_URL: devchain.url }, ...words);
    expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining('is on chain 1, not on 8453')]);
  });

  it('keeps a wish for a service that does not run', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'holders-'));
    const elsewhere = { DATA_DIR: folder };
    const book = await openTrackBook(ETH_MAINNET.name, { dataDir: folder }, lifecycle);
    // It has run before.
    const track = usdc.address.toLowerCase();
    const at = Date.now() - 31_000;
    await book.report([{ track, isSet: false, position: null, status: null, checked: null, at }]);
    const { stdout } = await runAdminHere(elsewhere, 'index', 'add', usdc.address, '--from', '5');
    expect(stdout).toContain('as soon as the service runs');
    const { stdout: told } = await runAdminHere(elsewhere, 'index', 'status');
    expect(told).toMatch(/nothing is indexed yet; no service tells of it/);
    rmSync(folder, { recursive: true });
  });

  it('lowers a first block, changes nothing that is being removed, and tells what a silent service left', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'holders-'));
    const book = await openTrackBook(ETH_MAINNET.name, { dataDir: folder }, lifecycle);
    const [own, left] = [usdc, uni].map(({ address }) => address.toLowerCase()) as [string, string];
    const report = (track: string, at: number) =>
      book.report([{ track, isSet: false, position: null, status: null, checked: null, at }]);
    const run = (...words: string[]) => runAdminHere({ DATA_DIR: folder }, 'index', ...words);
    await book.wish({ track: own, wish: 'index', fromBlock: 5 });
    expect((await run('add', own, '--from', '5')).stderr).toContain('is wanted already, from block 5');
    const service = setInterval(() => void report(own, Date.now()), 20);
    expect(read(await run('add', own, '--from', '3', '--json'))).toMatchObject({
      fromBlock: 3,
      isTaken: true,
    });
    clearInterval(service);
    await book.wish({ track: ALL_TOKENS, wish: 'index', fromBlock: 5 });
    expect((await run('add', 'all', '--from', '5')).stderr).toContain('error: all is wanted already');
    await book.forget(ALL_TOKENS);
    const others = Array.from({ length: 100 }, (_, i) => `0x${String(i).padStart(40, '0')}`);
    for (const one of others) await report(one, Date.now() + 600_000);
    expect((await run('add', left, '--from', '5')).stderr).toContain('has 100 tracks, the most');
    // Those that are being removed leave their places.
    for (const track of others.slice(0, 2)) await book.wish({ track, wish: 'remove', fromBlock: 0 });
    const begun = setInterval(() => void report(left, Date.now()), 20);
    expect(read(await run('add', left, '--from', '5', '--json'))).toMatchObject({ isTaken: true });
    clearInterval(begun);
    for (const one of [...others, left]) await book.forget(one);
    await book.wish({ track: own, wish: 'remove', fromBlock: 0 });
    expect((await run('add', own, '--from', '5')).stderr).toContain(
      'is being removed: wait until it is gone',
    );
    for (const track of [own, left]) await report(track, Date.now() - 31_000);
    const { tracks } = read(await run('status', '--json')) as { tracks: Record<string, unknown>[] };
    expect(new Map(tracks.map(({ track, progress }) => [track, progress]))).toEqual(
      new Map([
        [own, 'to be removed; no service tells of it'],
        [left, 'nothing is indexed yet; no service tells of it; index remove gives its space back'],
      ]),
    );
    rmSync(folder, { recursive: true });
  });
});
