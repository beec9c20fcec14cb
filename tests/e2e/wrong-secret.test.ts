/** A store whose keys are encrypted with another `SECRETS_KEY`: no key is stored beside them that gateways would refuse. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { runAdminHere } from '../support/admin-here.ts';
import { machineEnv } from '../support/machine.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const STARTED_WITHIN_MS = 600_000;
const RIGHT = 'the right secret of some length';
const WRONG = 'a wrong secret of some length';

describe('a store that was made with SECRETS_KEY', () => {
  let dataDir: string;
  let project: string;
  beforeEach(async () => {
    dataDir = join(mkdtempSync(join(tmpdir(), 'hindsight-secret-')), 'data');
    const { stdout } = await admin(RIGHT, 'project', 'create', '--name', 'Ada', '--plan', 'free', '--json');
    ({ project } = JSON.parse(stdout) as { project: string });
  });
  afterEach(() => rmSync(resolve(dataDir, '..'), { recursive: true, force: true }));

  const admin = (secret: string | undefined, ...words: string[]) =>
    runAdminHere({ DATA_DIR: dataDir, ...(secret && { SECRETS_KEY: secret }) }, ...words);

  it('gets no other secret where the setting is forgotten', async () => {
    for (const words of [
      ['create', '--name', 'Eve', '--plan', 'free'],
      ['rotate', project, '--grace', '0'],
    ]) {
      const { code, stdout, stderr } = await admin(undefined, 'project', ...words);
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toContain('SECRETS_KEY is not set');
    }
    expect(existsSync(join(dataDir, 'secrets.key'))).toBe(false);
  });

  it.each([
    { of: 'a new project', words: () => ['create', '--name', 'Eve', '--plan', 'free'] },
    { of: 'a project', words: () => ['keys', 'create', project, '--name', 'Eve'] },
  ])('gets no key of $of under a wrong one', async ({ words }) => {
    const { code, stdout, stderr } = await admin(WRONG, 'project', ...words());
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain('SECRETS_KEY is not the one');
    const { stdout: all } = await admin(RIGHT, 'project', 'list', '--json');
    expect(JSON.parse(all)).toMatchObject({ projects: [{ project }] });
    const { stdout: keys } = await admin(RIGHT, 'project', 'keys', 'list', project, '--json');
    expect(JSON.parse(keys)).toMatchObject({ keys: [{ id: 'default' }] });
    expect((await admin(RIGHT, 'project', ...words())).code).toBe(0);
  });

  it('is taken over by a new one, project by project, when the right one is lost', async () => {
    const rotated = await admin(WRONG, 'project', 'rotate', project, '--grace', '0', '--json');
    expect(rotated).toMatchObject({ code: 0, stderr: expect.stringContaining('warning: SECRETS_KEY') });
    const again = await admin(WRONG, 'project', 'rotate', project, '--grace', '0', '--json');
    expect(again).toMatchObject({ code: 0, stderr: '' });
    expect((await admin(WRONG, 'project', 'create', '--name', 'Eve', '--plan', 'free')).code).toBe(0);
  });

  it('is under a secret that opens any of its keys, however many older ones it opens none of', async () => {
    for (let more = 0; more < 40; more++)
      await admin(RIGHT, 'project', 'create', '--name', 'Bob', '--plan', 'free');
    expect((await admin(WRONG, 'project', 'create', '--name', 'Eve', '--plan', 'free')).code).toBe(1);
    const { stdout } = await admin(RIGHT, 'project', 'list', '--json');
    const newest = (JSON.parse(stdout) as { projects: { project: string }[] }).projects.at(-1)!.project;
    await admin(WRONG, 'project', 'rotate', newest, '--grace', '0');
    expect((await admin(WRONG, 'project', 'create', '--name', 'Eve', '--plan', 'free')).code).toBe(0);
  });

  it('is rotated to a key that is printed, also where the warning cannot be', async () => {
    const words = ['project', 'rotate', project, '--grace', '0', '--json'];
    const child = spawn(process.execPath, ['standalone/src/admin/main.ts', ...words], {
      cwd: ROOT,
      env: { ...machineEnv(), DATA_DIR: dataDir, SECRETS_KEY: WRONG },
    });
    child.stderr.destroy();
    const ended = once(child, 'close');
    const printed = await text(child.stdout);
    expect(await ended).toEqual([0, null]);
    expect(JSON.parse(printed)).toEqual({ project, key: expect.stringMatching(/^hs_/) });
  });

  it.each(['services/gateway/src/main.ts', 'services/portal/src/main.ts', 'standalone/src/main.ts'])(
    'is not served by one that would refuse every key: %s',
    (script) => {
      const names = ['BALANCE_URL', 'TOKENS_URL', 'ORDERS_URL', 'ETH_RPC_URL'];
      const urls = names.map((name) => [name, 'http://127.0.0.1:1']);
      const { status, stdout } = spawnSync(process.execPath, [script], {
        cwd: ROOT,
        env: {
          ...machineEnv(),
          ...Object.fromEntries(urls),
          ...{ DATA_DIR: dataDir, SECRETS_KEY: WRONG, PORT: '0', PORTAL_PORT: '0', METRICS_PORT: '0' },
        },
        encoding: 'utf8',
        timeout: STARTED_WITHIN_MS,
      });
      expect(status).toBe(1);
      expect(stdout).toContain('SECRETS_KEY is not the one');
    },
  );
});
