/**
 * `npm run admin -- backup …`: made under load, restored after a kill -9; no answer from before it is lost.
 */
import { openBus } from '@hindsight/bus/open.ts';
import { HOLDERS, TOKENS } from '@hindsight/devchain/world.ts';
import { systemClock } from '@hindsight/kernel/clock.ts';
import { randomIds } from '@hindsight/kernel/ids.ts';
import { createLifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { until } from '@hindsight/kernel/test/support/until.ts';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createBackup, restoreBackup } from '@hindsight/standalone/admin/data-backup.ts';
import { readConfig } from '@hindsight/standalone/config.ts';
import { readConfig as readAdminConfig } from '@hindsight/standalone/admin/config.ts';
import { sharedDevchain } from '@hindsight/tools/servers/shared-devchain.ts';
import { runAdminHere } from '../support/admin-here.ts';
import { runAdmin } from '../support/admin.ts';
import { machineEnv } from '../support/machine.ts';
import { makeFastKey } from '../support/fast-key.ts';
import { startHindsight, type HindsightProcess } from '../support/hindsight-process.ts';
import { signUp } from '../support/hostile/target.ts';
import { makeOrder } from '../support/orders/signed-orders.ts';

const BALANCE = `/v1/eth-mainnet/balance/single?token_address=${TOKENS.usdc.address}&holder=${HOLDERS.alice}&block_height=18000100`;
const ORDERS = '/v1/eth-mainnet/orders/dex-webhook';
const ADMIN = join(import.meta.dirname, '../../standalone/src/admin/main.ts');
const EVENTS = join(ADMIN, '../../events/main.ts');
const LIMIT = 300;
const SPENT = 200;

describe('a backup of one process', () => {
  const folder = mkdtempSync(join(tmpdir(), 'hindsight-backup-'));
  const [data, copy, restored] = ['data', 'copy', 'restored'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  let hindsight: HindsightProcess;
  let ETH_RPC_URL: string;

  beforeAll(async () => {
    ETH_RPC_URL = (await sharedDevchain(process.env)).url;
    hindsight = await startHindsight({ DATA_DIR: data, ETH_RPC_URL });
  });
  afterAll(async () => {
    await hindsight?.end('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });

  const admin = async (dataDir: string, ...words: string[]): Promise<Record<string, unknown>> => {
    const { code, stdout, stderr } = await runAdmin({ DATA_DIR: dataDir }, ...words, '--json');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    return JSON.parse(stdout) as Record<string, unknown>;
  };
  const createKey = (monthlyLimit: number): Promise<string> =>
    makeFastKey(data, { monthlyLimit, rate: 100_000 });
  const get = (path: string, key: string): Promise<Response> =>
    fetch(hindsight.url + path, { headers: { 'x-api-key': key } });
  const used = async (key: string): Promise<number> => {
    const usage = (await (await get('/v1/usage', key)).json()) as { requests: { used: number } };
    return usage.requests.used;
  };
  const accountPage = async (cookie: string): Promise<number> =>
    (await fetch(`${hindsight.portalUrl}/account`, { headers: { cookie }, redirect: 'manual' })).status;
  const tokens = async (key: string): Promise<number> =>
    ((await (await get('/v1/eth-mainnet/token?limit=1', key)).json()) as { total: number }).total;

  /** Balances and orders, until the process is killed. Answered ones are in `answered` and `taken`. */
  const load = (key: string) => {
    const [answered, taken] = [{ requests: 0 }, new Set<string>()];
    let [sent, nonce] = [0, 1_000n];
    const repeat = async (work: () => Promise<unknown>): Promise<void> => {
      // The first request without an answer is the kill.
      for (;;)
        if (
          !(await work().then(
            () => true,
            () => false,
          ))
        )
          return;
    };
    const ask = async (): Promise<void> => {
      sent++;
      const response = await get(BALANCE, key);
      await response.text();
      if (response.status === 200) answered.requests++;
    };
    const order = async (): Promise<void> => {
      sent++;
      const { id, body } = makeOrder(nonce++);
      const headers = { 'x-api-key': key, 'content-type': 'application/json' };
      const response = await fetch(hindsight.url + ORDERS, { method: 'POST', headers, body });
      await response.text();
      if (response.status !== 201) return;
      taken.add(id);
      answered.requests++;
    };
    const running = Promise.all([ask, ask, ask, order, order].map(repeat));
    return { answered, taken, running, sent: () => sent };
  };

  /** A consumer's reading of `orders.received`. */
  const readOrders = async (isAll: (ids: readonly string[]) => boolean) => {
    const logger = createLogger({ name: 'test', level: 'silent' });
    const lifecycle = createLifecycle(logger);
    const read: { id: string; sequence: number }[] = [];
    try {
      const { bus } = await openBus(
        { dataDir: restored },
        { logger, clock: systemClock, ids: randomIds, lifecycle },
      );
      await bus.subscribe({ group: 'test', topics: ['orders.received'] }, async (events) => {
        read.push(...events.map(({ id, sequence = 0 }) => ({ id, sequence })));
      });
      await until('the orders are published', () => isAll(read.map(({ id }) => id)));
      return read;
    } finally {
      await lifecycle.shutdown('end of test');
    }
  };

  it('is made while it is written to, and goes on where it was', async () => {
    const [key, reader] = [await createKey(1_000_000), await createKey(1_000_000)];
    const limited = await createKey(LIMIT);
    const cookie = await signUp(hindsight.portalUrl);
    expect(await accountPage(cookie)).toBe(200);
    for (let request = 0; request < SPENT; request++) expect((await get(BALANCE, limited)).status).toBe(200);
    const { answered, taken, running, sent } = load(key);
    await until('there is load', () => answered.requests > 100 && taken.size > 10);
    await until('tokens are listed', async () => (await tokens(reader)) > 0);
    const before = { requests: answered.requests, taken: [...taken], tokens: await tokens(reader) };
    await until('all is counted', async () => (await used(limited)) === SPENT);
    await admin(data, 'backup', 'create', copy);
    const during = answered.requests - before.requests;
    await until('there is more load', () => answered.requests > before.requests + during + 50);
    await hindsight.end('SIGKILL');
    await running;

    const finished = await admin(restored, 'backup', 'restore', copy);
    expect(finished).toMatchObject({ 'units leased again': 0, sessions: 'ended' });
    hindsight = await startHindsight({ DATA_DIR: restored, ETH_RPC_URL });
    await until('all is counted', async () => (await used(key)) >= before.requests);
    expect(await used(key)).toBeLessThanOrEqual(sent());
    expect(await tokens(reader)).toBeGreaterThanOrEqual(before.tokens);

    // It may have been ended since the backup.
    expect(await accountPage(cookie)).toBe(303);

    // The rest of the limit, and no unit more.
    let left = 0;
    for (let none = 0; none < 3;) {
      const { status } = await get(BALANCE, limited);
      if (status === 200) left++;
      none = status === 429 && (await used(limited)) === LIMIT ? none + 1 : 0;
    }
    expect(left).toBe(LIMIT - SPENT);

    const late = makeOrder(1n);
    const headers = { 'x-api-key': key, 'content-type': 'application/json' };
    const response = await fetch(hindsight.url + ORDERS, { method: 'POST', headers, body: late.body });
    expect(response.status).toBe(201);
    const orders = await readOrders((ids) => [late.id, ...before.taken].every((id) => ids.includes(id)));
    expect(new Set(orders.map(({ id }) => id)).size).toBe(orders.length);
    expect(new Set(orders.map(({ sequence }) => sequence)).size).toBe(orders.length);
    // Beyond all that the killed process can have published.
    expect(orders.find(({ id }) => id === late.id)?.sequence).toBeGreaterThan(1_000_000_000);
    expect(await admin(restored, 'usage', 'reconcile')).toMatchObject({ differing: 0 });
    const line = {
      before: before.requests,
      during,
      restored: await used(key),
      orders: orders.length,
      left,
    };
    process.stdout.write(`backup: ${JSON.stringify(line)}\n`);
  });

  it('is not made or put back where there is something', async () => {
    await expect(createBackup(restored, copy, new Date())).rejects.toThrow(`${copy} is not empty`);
    await expect(restoreBackup(copy, restored)).rejects.toThrow(`${restored} is not empty`);
    const [missing, target] = [join(folder, 'missing'), join(folder, 'of missing')];
    await expect(createBackup(missing, target, new Date())).rejects.toThrow('there is no data folder');
    expect(existsSync(target)).toBe(false);
    const other = join(folder, 'of another program');
    mkdirSync(other);
    await expect(createBackup(other, target, new Date())).rejects.toThrow('nothing of Hindsight in');
    expect(readdirSync(other)).toEqual([]);
    expect(existsSync(join(target, 'backup.json'))).toBe(false);
  });

  it('is only read when it is put back: its disk may take no writes', async () => {
    const [few, ofFew] = [join(folder, 'of a secret'), join(folder, 'copy of a secret')];
    mkdirSync(few);
    writeFileSync(join(few, 'secrets.key'), '');
    await createBackup(few, ofFew, new Date());
    await restoreBackup(ofFew, join(folder, 'secret put back'));
    expect(readdirSync(ofFew).sort()).toEqual(['backup.json', 'secrets.key']);
  });

  it.each([
    ['create', '', "'folder'. Expected a folder"],
    ['restore', '', "'folder'. Expected a folder"],
    // No folder can be made there; Node alone tries forever.
    ['create', '/proc/a/b', "ENOENT: no such file or directory, mkdir '/proc/a'"],
  ])('%s is refused for the folder "%s"', async (word, target, words) => {
    const { code, stderr } = await runAdmin({ DATA_DIR: restored }, 'backup', word, target);
    expect([code, stderr]).toEqual([1, expect.stringContaining(words)]);
  });

  it('has no list where the disk had no room for all of it', () => {
    const [few, part] = [join(folder, 'few'), join(folder, 'of few')];
    for (let n = 10; n < 40; n++)
      mkdirSync(join(few, 'usage-spool', `3f2504e0-4f89-41d3-9a0c-0305e82c33${n}`), { recursive: true });
    // The list alone is larger than a file may be.
    const { status, stderr } = spawnSync(
      'sh',
      ['-c', 'ulimit -f 1 && exec "$@"', 'sh', process.execPath, ADMIN, 'backup', 'create', part],
      { encoding: 'utf8', env: { ...machineEnv(), DATA_DIR: few } },
    );
    expect([status, stderr]).toEqual([1, expect.stringContaining('EFBIG')]);
    expect(existsSync(join(part, 'usage-spool'))).toBe(true);
    expect(existsSync(join(part, 'backup.json'))).toBe(false);
  });

  it('is for its owner alone', () => {
    for (const name of ['backup.json', 'secrets.key', 'usage.db'])
      expect(statSync(join(copy, name)).mode & 0o777).toBe(0o600);
  });

  it('is not served or changed where its restore was interrupted', async () => {
    const part = join(folder, 'part');
    // As a copy that was at an object store.
    chmodSync(join(copy, 'secrets.key'), 0o644);
    // The command ends before it has made this a store of its own.
    await restoreBackup(copy, part);
    expect(statSync(join(part, 'secrets.key')).mode & 0o777).toBe(0o600);
    const words = `DATA_DIR ${part} has a backup that was not restored to the end`;
    expect(() => readConfig({ DATA_DIR: part })).toThrow(words);
    for (const command of [
      ['project', 'list'],
      ['account', 'list'],
      ['backup', 'create', join(folder, 'of part')],
      ['backup', 'restore', copy],
    ]) {
      const { code, stderr } = await runAdminHere({ DATA_DIR: part }, ...command);
      expect([code, stderr]).toEqual([2, expect.stringContaining(words)]);
    }
    const reading = ['--topic', 'orders.received', '--group', 'mine', '--limit', '1'];
    const { status, stderr } = spawnSync(process.execPath, [EVENTS, ...reading], {
      encoding: 'utf8',
      env: { ...machineEnv(), DATA_DIR: part },
    });
    expect([status, stderr]).toEqual([2, expect.stringContaining(words)]);
    // A store elsewhere is not in this folder.
    expect(readAdminConfig({ DATA_DIR: part, MONGODB_URL: 'mongodb://127.0.0.1:1' }).DATA_DIR).toBe(part);
  });

  it.each<[string, (place: string) => void, RegExp]>([
    ['incomplete', (place) => rmSync(join(place, 'backup.json')), /has no backup\.json/],
    [
      'damaged',
      (place) => appendFileSync(join(place, 'orders.db'), 'x'),
      /orders\.db is not as it was copied/,
    ],
    [
      'damaged in place',
      (place) => {
        const path = join(place, 'orders.db');
        const bytes = readFileSync(path);
        bytes[bytes.length - 1] = bytes.at(-1) === 0 ? 1 : 0;
        writeFileSync(path, bytes);
      },
      /orders\.db is not as it was copied/,
    ],
    ['missing a file', (place) => rmSync(join(place, 'usage.db')), /usage\.db is not as it was copied/],
    [
      'of a later version',
      (place) => {
        const path = join(place, 'backup.json');
        writeFileSync(path, readFileSync(path, 'utf8').replace('"format": 1', '"format": 2'));
      },
      /was made by a later version, in format 2/,
    ],
  ])('is refused when it is %s, before anything is written', async (name, harm, words) => {
    const [harmed, target] = [join(folder, name), join(folder, `from ${name}`)];
    cpSync(copy, harmed, { recursive: true });
    harm(harmed);
    await expect(restoreBackup(harmed, target)).rejects.toThrow(words);
    expect(existsSync(target)).toBe(false);
  });

  it('is not for MongoDB', async () => {
    const env = {
      DATA_DIR: restored,
      MONGODB_URL: 'mongodb://127.0.0.1:1',
      SECRETS_KEY: 'sixteen characters',
    };
    const { code, stderr } = await runAdminHere(env, 'backup', 'create', join(folder, 'other'));
    expect([code, stderr]).toEqual([2, expect.stringContaining('recover.md')]);
  });
});
