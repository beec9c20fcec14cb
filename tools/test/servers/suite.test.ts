import { beforeAll, afterAll, describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../../..');
const RUN_WITHIN_MS = 600_000;

/** Runs a suite that needs a native server and one that shares some, on a machine without any. */
function runSuites(env: Record<string, string>): Promise<{ code: number; output: string }> {
  const jest = ['--experimental-vm-modules', 'node_modules/jest/bin/jest.js'];
  const suites = ['tools/test/servers/redis.servers.test.ts', 'tools/test/servers/suite.servers.test.ts'];
  return new Promise((resolve) => {
    const limits = { cwd: ROOT, env, timeout: RUN_WITHIN_MS };
    execFile(process.execPath, [...jest, '--runInBand', ...suites], limits, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), output: `${stdout}${stderr}` });
    });
  });
}

describe('a run on a machine without servers', () => {
  let home: string;
  let bare: Record<string, string>;

  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'hindsight-bare-'));
    await mkdir(join(home, 'bin'));
    await symlink(process.execPath, join(home, 'bin', 'node'));
    bare = { PATH: join(home, 'bin'), HOME: home, DOCKER_HOST: `unix://${home}/no-engine` };
  });
  afterAll(() => rm(home, { recursive: true, force: true }));

  it('passes with each suite skipped and named on a line of its own', async () => {
    const { code, output } = await runSuites(bare);
    expect(output).toMatch(
      /^SKIPPED: Redis, started natively: a native redis needs redis-server on the path$/m,
    );
    expect(output).toMatch(
      /^SKIPPED: the servers of a run: .*KAFKA_BROKERS is not set, no Docker engine answers/m,
    );
    expect(output).toMatch(/Tests: +2 skipped, 2 total/);
    expect(code).toBe(0);
  });

  it('fails with REQUIRE_SERVERS=1', async () => {
    const { code, output } = await runSuites({ ...bare, REQUIRE_SERVERS: '1' });
    expect(output).toContain('REQUIRE_SERVERS=1, but');
    expect(output).toMatch(/Tests: +2 failed, 2 total/);
    expect(code).toBe(1);
  });
});
