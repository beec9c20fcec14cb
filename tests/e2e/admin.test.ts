import { openBus } from '@hindsight/bus/open.ts';
import { systemClock } from '@hindsight/kernel/clock.ts';
import { randomIds } from '@hindsight/kernel/ids.ts';
import { createLifecycle } from '@hindsight/kernel/lifecycle.ts';
import { DAY_MS } from '@hindsight/kernel/durations.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { isWellFormedKey } from '@hindsight/projects/key.ts';
import { openProjects } from '@hindsight/projects/open.ts';
import type { ProjectRepository } from '@hindsight/projects/ports.ts';
import { embeddedSecret } from '@hindsight/standalone/secrets-file.ts';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { runAdminHere } from '../support/admin-here.ts';
import { runAdmin, runAdminByNpm, type AdminRun } from '../support/admin.ts';

const logger = createLogger({ name: 'test', level: 'silent' });

interface Created {
  readonly project: string;
  readonly key: string;
}

/** A port that refuses connections. */
async function deadPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

describe('npm run admin, embedded', () => {
  let folder: string;
  let env: Record<string, string>;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'hindsight-admin-'));
    env = { DATA_DIR: join(folder, 'data') };
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  /** Commands wait for seconds for a server that is unavailable: they run during the other tests. */
  const alone = mkdtempSync(join(tmpdir(), 'hindsight-admin-alone-'));
  const withoutBus = { DATA_DIR: join(alone, 'without-bus') };
  let ofStore: Promise<AdminRun>;
  let ofBus: Promise<AdminRun>;
  beforeAll(async () => {
    const MONGODB_URL = `mongodb://me:hidden@127.0.0.1:${await deadPort()}/x`;
    const store = { DATA_DIR: join(alone, 'data'), MONGODB_URL, SECRETS_KEY: 'a secret of some length' };
    ofStore = runAdmin(store, 'project', 'list');
    const bus = { ...withoutBus, KAFKA_BROKERS: `127.0.0.1:${await deadPort()}` };
    ofBus = runAdmin(bus, ...['project', 'create', '--name', 'Ada', '--plan', 'free', '--json']);
  });
  afterAll(async () => {
    await Promise.allSettled([ofStore, ofBus]);
    rmSync(alone, { recursive: true, force: true });
  });

  const create = async (...words: string[]): Promise<Created> => {
    const { code, stdout, stderr } = await runAdminHere(env, 'project', 'create', '--json', ...words);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    return JSON.parse(stdout) as Created;
  };

  /** Work on the same data as another process, such as `npm start`, does. */
  const alongside = async <T>(
    work: (projects: ProjectRepository) => Promise<T>,
    clock = systemClock,
  ): Promise<T> => {
    const lifecycle = createLifecycle(logger);
    const dataDir = env.DATA_DIR!;
    const platform = { clock, ids: randomIds, lifecycle };
    try {
      const { projects } = await openProjects({ dataDir, secret: embeddedSecret(dataDir) }, platform);
      return await work(projects);
    } finally {
      await lifecycle.shutdown('end of test');
    }
  };

  /** The types of a project's events, as a consumer of the embedded log sees them. */
  const eventsOf = async (projectId: string, count: number): Promise<string[]> => {
    const lifecycle = createLifecycle(logger);
    const platform = { logger, clock: systemClock, ids: randomIds, lifecycle };
    const { bus } = await openBus({ dataDir: env.DATA_DIR! }, platform);
    const types: string[] = [];
    try {
      await bus.subscribe({ group: 'test', topics: ['projects.changed'] }, async (events) => {
        types.push(...events.filter(({ data }) => data.projectId === projectId).map(({ type }) => type));
      });
      for (const end = Date.now() + 600_000; types.length < count && Date.now() < end;) await sleep(20);
      return types;
    } finally {
      await lifecycle.shutdown('end of test');
    }
  };

  it('creates a project and prints its id and key as JSON', async () => {
    const words = ['create', '--name', 'Ada', '--plan', 'free', '--json'];
    const { stdout } = await runAdminByNpm(env, 'project', ...words);
    const { project, key, ...rest } = JSON.parse(stdout) as Created;
    expect(rest).toEqual({});
    expect(isWellFormedKey(key)).toBe(true);
    const found = await alongside((projects) => projects.findByKey(key));
    expect(found).toMatchObject({ id: project, name: 'Ada', plan: 'free', status: 'active' });
  });

  it('changes a project, and publishes every change in order', async () => {
    const { project, key } = await create('--name', 'Ada', '--plan', 'free');
    const limits = ['--plan', 'enterprise', '--monthly-limit', '7000000', '--rate', '40'];
    const planned = await runAdminHere(env, 'project', 'set-plan', project, ...limits, '--json');
    expect(JSON.parse(planned.stdout)).toMatchObject({
      plan: 'enterprise',
      monthlyLimit: 7_000_000,
      rate: 40,
    });
    const suspended = await runAdminHere(env, 'project', 'suspend', project, '--json');
    expect(JSON.parse(suspended.stdout)).toMatchObject({ project, status: 'suspended' });
    await runAdminHere(env, 'project', 'resume', project);
    const rotated = await runAdminHere(env, 'project', 'rotate', project, '--grace', '0', '--json');
    const { key: next } = JSON.parse(rotated.stdout) as Created;
    const [former, current] = await alongside((projects) =>
      Promise.all([projects.findByKey(key), projects.findByKey(next)]),
    );
    expect(former).toBeNull();
    expect(current).toMatchObject({ id: project, plan: 'enterprise', monthlyLimit: 7_000_000, rate: 40 });
    const changes = ['created', 'plan-changed', 'suspended', 'resumed', 'key-rotated'];
    expect(await eventsOf(project, changes.length)).toEqual(changes);
  });

  it('lets the old key work for the grace period of a rotation', async () => {
    const { project, key } = await create('--name', 'Ada', '--plan', 'free');
    const begun = Date.now();
    await runAdminHere(env, 'project', 'rotate', project, '--grace', '15m');
    const found = await alongside((projects) => projects.findByKey(key));
    expect(found?.keyExpiresAt).toBeGreaterThanOrEqual(begun + 900_000);
    expect(found?.keyExpiresAt).toBeLessThanOrEqual(Date.now() + 900_000);
  });

  it('says that a key which it has rotated is expired all the same', async () => {
    const { project } = await create('--name', 'Ada', '--plan', 'free');
    const yesterday = { now: () => Date.now() - DAY_MS };
    const expiresAt = Date.now() - 1_000;
    await alongside((projects) => projects.updateKey(project, 'default', { expiresAt }), yesterday);
    const { code, stdout, stderr } = await runAdminHere(env, 'project', 'rotate', project, '--json');
    expect([code, stderr]).toEqual([0, expect.stringMatching(/^warning: the key default expired at 20.*/)]);
    expect(JSON.parse(stdout)).toMatchObject({ project, key: expect.any(String) });
  });

  it('gives a project several keys, and ends it by its name', async () => {
    const { project, key } = await create('--name', 'Ada', '--plan', 'free');
    const terms = [
      '--name',
      'Worker',
      '--scopes',
      'webhook',
      '--addresses',
      '203.0.113.0/24',
      '--cap',
      '500',
    ];
    const made = await runAdminHere(env, 'project', 'keys', 'create', project, ...terms, '--json');
    const { id, key: secret } = JSON.parse(made.stdout) as { id: string; key: string };
    const found = await alongside((projects) => projects.findByKey(secret));
    expect(found).toMatchObject({ id: project, key: { id, scopes: ['webhook'], monthlyCap: 500 } });
    await runAdminHere(
      env,
      'project',
      'keys',
      'update',
      project,
      id,
      '--scopes',
      'read, usage',
      ...['addresses', 'expires', 'cap'].flatMap((term) => [`--${term}`, 'none']),
    );
    const list = await runAdminHere(env, 'project', 'keys', 'list', project, '--json');
    expect(JSON.parse(list.stdout)).toMatchObject({
      keys: [
        { id: 'default', last4: key.slice(-4), status: 'active' },
        { id, scopes: ['read', 'usage'], monthlyCap: null, last4: secret.slice(-4), status: 'active' },
      ],
    });
    expect(JSON.parse(list.stdout)).toMatchObject({ keys: [{}, { allowedAddresses: [], expiresAt: null }] });
    expect(list.stdout).not.toContain(secret);
    const revoked = await runAdminHere(env, 'project', 'keys', 'revoke', project, id, '--json');
    expect(JSON.parse(revoked.stdout)).toMatchObject({ id, status: 'revoked' });
    expect(await alongside((projects) => projects.findByKey(secret))).toBeNull();
    const refused = await runAdminHere(env, 'project', 'delete', project, '--confirm', 'Eve');
    expect(refused).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('not the name of the project'),
    });
    const deleted = await runAdminHere(env, 'project', 'delete', project, '--confirm', 'Ada', '--json');
    expect(JSON.parse(deleted.stdout)).toMatchObject({ project, status: 'deleted' });
    expect(await alongside((projects) => projects.findByKey(key))).toBeNull();
    const changes = ['created', 'key-created', 'key-changed', 'key-revoked', 'deleted'];
    expect(await eventsOf(project, changes.length)).toEqual(changes);
  });

  it('shows projects to people and to programs, and a key only on request', async () => {
    const { project, key } = await create('--name', 'Ada & Söhne', '--plan', 'growth');
    const list = await runAdminHere(env, 'project', 'list');
    const [heading = '', row = ''] = list.stdout.split('\n');
    expect(heading).toMatch(/^project +name +plan +per month +per second +status +created$/);
    expect(row).toContain(`${project}  Ada & Söhne  growth  5,000,000  50`);
    const show = await runAdminHere(env, 'project', 'show', project, '--json');
    expect(JSON.parse(show.stdout)).toMatchObject({ project, name: 'Ada & Söhne', monthlyLimit: 5_000_000 });
    expect(list.stdout + show.stdout).not.toContain(key);
    const withKey = await runAdminHere(env, 'project', 'show', project, '--key', '--json');
    expect(JSON.parse(withKey.stdout)).toMatchObject({ project, key });
  });

  it('prints the audit log of a project, by days and by who', async () => {
    const { project } = await create('--name', 'Ada', '--plan', 'free');
    await runAdminHere(env, 'project', 'suspend', project);
    const actions = async (...words: string[]): Promise<string[]> => {
      const { stdout } = await runAdminHere(env, 'project', 'audit', project, '--format', 'ndjson', ...words);
      const lines = stdout.split('\n').filter((line) => line !== '');
      return lines.map((line) => (JSON.parse(line) as { action: string }).action);
    };
    const day = (days: number): string => new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10);
    const all = ['suspended', 'created'];
    expect(await actions()).toEqual(all);
    expect(await actions('--from', day(-1), '--to', day(0), '--by', 'operator')).toEqual(all);
    for (const words of [
      ['--from', day(1)],
      ['--to', day(-2)],
      ['--by', 'user-1'],
    ])
      expect(await actions(...words)).toEqual([]);
    const { code, stderr } = await runAdminHere(env, 'project', 'audit', 'nobody');
    expect([code, stderr]).toEqual([1, 'error: there is no project "nobody"\n']);
  });

  it('gives no project to a user whom the portal does not know', async () => {
    mkdirSync(env.DATA_DIR!);
    const words = ['project', 'create', '--name', 'Ada', '--plan', 'free', '--owner', 'user-1'];
    const { code, stdout, stderr } = await runAdminHere(env, ...words);
    expect([code, stdout, stderr]).toEqual([
      ...[1, ''],
      'error: --owner user-1: no account has this id; account list shows them\n',
    ]);
  });

  it('puts stored keys under a new secret, after which the former one is no longer needed', async () => {
    const former = { ...env, SECRETS_KEY: 'the former secret of some length' };
    const created = await runAdminHere(
      former,
      'project',
      'create',
      '--name',
      'Ada',
      '--plan',
      'free',
      '--json',
    );
    const { project, key } = JSON.parse(created.stdout) as Created;
    const next = { ...env, SECRETS_KEY: 'the next secret of some length' };
    const unread = await runAdminHere(next, 'secrets', 'reseal', '--json');
    expect(unread).toMatchObject({ code: 1, stderr: expect.stringContaining(project) });
    expect(JSON.parse(unread.stdout)).toEqual({ resealed: 0, unchanged: 0, unreadable: [project] });
    const both = { ...next, SECRETS_KEY_PREVIOUS: former.SECRETS_KEY };
    const done = await runAdminHere(both, 'secrets', 'reseal', '--json');
    expect(JSON.parse(done.stdout)).toEqual({ resealed: 1, unchanged: 0, unreadable: [] });
    expect((await runAdminHere(both, 'secrets', 'reseal')).stdout).toMatch(/^already current +1$/m);
    const shown = await runAdminHere(next, 'project', 'show', project, '--key', '--json');
    expect(JSON.parse(shown.stdout)).toMatchObject({ project, key });
  });

  it('works while other processes use the same data', async () => {
    const names = ['one', 'two'];
    const [created] = await Promise.all([
      Promise.all(
        names.map((name) => runAdmin(env, 'project', 'create', '--name', name, '--plan', 'free', '--json')),
      ),
      alongside(async (projects) => {
        for (let n = 0; n < 100; n++) {
          await projects.list(10);
          await sleep(10);
        }
      }),
    ]);
    const { stdout } = await runAdminHere(env, 'project', 'list', '--json');
    const { projects } = JSON.parse(stdout) as { projects: { project: string }[] };
    expect(projects.map(({ project }) => project).sort()).toEqual(
      created.map((run) => (JSON.parse(run.stdout) as Created).project).sort(),
    );
  });

  it.each([
    { words: ['create', '--name', 'x'], says: "required option '--plan <plan>'" },
    {
      words: ['create', '--name', 'x', '--plan', 'gold'],
      says: 'free, starter, growth, business, enterprise',
    },
    { words: ['create', '--name', ' ', '--plan', 'free'], says: '1 to 100 characters' },
    {
      words: ['create', '--name', 'x', '--plan', 'enterprise'],
      says: 'add --monthly-limit <units> and --rate <requests>',
    },
    {
      words: ['set-plan', 'x', '--plan', 'enterprise', '--rate', '9'],
      says: 'add --monthly-limit <units>\n',
    },
    { words: ['create', '--name', 'x', '--plan', 'free', '--rate', '9'], says: 'only enterprise' },
    { words: ['create', '--name', 'x', '--plan', 'enterprise', '--rate', '1.5'], says: 'whole number' },
    { words: ['rotate', 'x', '--grace', '5 years'], says: 'such as 0, 90s, 15m, 24h or 7d' },
    { words: ['rotate', 'x', '--grace', '366d'], says: 'at most 365d' },
    // A variable of the shell that is not set.
    { words: ['rotate', 'x', '--key', ''], says: 'Expected the id of a key' },
    { words: ['audit', 'x', '--by', ''], says: 'Expected the id of a user, or operator' },
    ...['49', '2030-02-31', '12/31/2030', 'May 5'].map((moment) => ({
      words: ['keys', 'create', 'x', '--name', 'Worker', '--expires', moment],
      says: 'such as 2026-12-31T00:00:00Z',
    })),
    { words: ['audit', 'x', '--from', '2026-02-30'], says: 'such as 2026-11-21' },
    { words: ['audit', 'x', '--action', 'key-show'], says: 'created, renamed, key-shown' },
    { words: ['suspend', 'nobody'], says: 'there is no project "nobody"' },
    { words: ['suspend'], says: "missing required argument 'project'\n(see --help)\n" },
    { words: ['promote', 'x'], says: "unknown command 'promote'" },
  ])('ends with 1 and says why: project $words', async ({ words, says }) => {
    mkdirSync(env.DATA_DIR!);
    const { code, stdout, stderr } = await runAdminHere(env, 'project', ...words);
    expect(stderr).toContain(says);
    expect(stderr).not.toContain('    at ');
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  });

  it.each([
    ['project', 'list'],
    ['project', 'suspend', 'x'],
    ['account', 'list'],
    ['dead-letters', 'list'],
    ['index', 'remove', 'all'],
    ['index', 'status'],
    ['tokens', 'status'],
    ['usage', 'reconcile'],
  ])('ends with 2 where there is no data folder, and makes none: %s %s', async (...words) => {
    const mistyped = `${env.DATA_DIR}-mistyped`;
    const { code, stderr } = await runAdminHere({ ...env, DATA_DIR: mistyped }, ...words);
    expect([code, stderr]).toEqual([2, expect.stringContaining(`there is no data folder ${mistyped}`)]);
    expect(existsSync(mistyped)).toBe(false);
  });

  it('ends with 2 for faulty settings, reports all of them and masks secrets', async () => {
    const faulty = { ...env, SECRETS_KEY: 'too-short', MONGODB_URL: 'http://me:hidden@host' };
    const { code, stderr } = await runAdmin(faulty, 'project', 'list');
    expect(code).toBe(2);
    expect(stderr).toContain('SECRETS_KEY is (secret)');
    expect(stderr).toContain('MONGODB_URL is (secret)');
    expect(stderr).not.toMatch(/too-short|hidden/);
    const without = await runAdminHere({ ...env, MONGODB_URL: 'mongodb://a:1,b:2/x' }, 'project', 'list');
    expect(without.code).toBe(2);
    expect(without.stderr).toContain('SECRETS_KEY is not set');
  });

  it('ends with 1 when the store is unavailable, without revealing its credentials', async () => {
    const { code, stderr } = await ofStore;
    expect(code).toBe(1);
    expect(stderr).toContain('MongoDB is not available');
    expect(stderr).not.toContain('hidden');
  });

  it('stores a change while the bus is unavailable, says so, and the next command publishes it', async () => {
    const { code, stdout, stderr } = await ofBus;
    env = withoutBus;
    expect(stderr).toMatch(/^The change is stored; gateways apply it once a service has published it/);
    expect(code).toBe(0);
    const { project } = JSON.parse(stdout) as Created;
    await runAdminHere(env, 'project', 'suspend', project);
    expect(await eventsOf(project, 2)).toEqual(['created', 'suspended']);
  });
});
