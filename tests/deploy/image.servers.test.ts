/**
 * The image on a real engine: its contents, and one process on the embedded default and a dev chain, hardened
 * as docker-compose.yml hardens all. The others run in the test of compose.
 */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { until } from '@hindsight/kernel/test/support/until.ts';
import { baseImage } from '@hindsight/tools/docker/images.ts';
import { describeOnEngine } from '@hindsight/tools/docker/suite.ts';
import { CHAIN, HOLDERS, TOKENS } from '@hindsight/devchain/world.ts';
import { HARDENED, lookInside } from './hardened.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const POLL_MS = 500;
const WITHIN_MS = 600_000;
const MEGABYTE = 1_000_000;
const MOST_ENDS = 5;
/** Most megabytes of this repository's layers on top of the base image; DuckDB, the engine of the index, is 70 of them. */
const MAX_ABOVE_BASE_MB = 150;

await describeOnEngine('the image', process.env, ({ docker }) => {
  const run = `hindsight-image-${process.pid}`;
  const nameOf = (name: string): string => `${run}-${name}`;
  const standalone = nameOf('standalone');
  /** As docker-compose.yml hardens every process. */
  const hardened = hardening();
  const place = [
    ...['--env', `SECRETS_KEY=${randomBytes(24).toString('hex')}`],
    ...['--env', 'ETH_RPC_URL=http://devchain:8545', '--volume', `${run}:/data`],
  ];

  beforeAll(async () => {
    await docker('network', 'create', run);
    // As in the image, but soon and often; a busy machine may start slowly.
    const health = ['interval=1s', 'timeout=10s', 'retries=1', 'start-period=600s'];
    const often = health.map((option) => `--health-${option}`);
    await start('devchain', ['--env', 'PORT=8545', '--no-healthcheck'], 'hindsight-devchain');
    await start('standalone', [...place, ...often, '--publish', '127.0.0.1::8080']);
  });

  afterAll(async () => {
    await docker('rm', '--force', nameOf('devchain'), standalone);
    await docker('volume', 'rm', '--force', run);
    await docker('network', 'rm', run);
  });

  async function start(name: string, options: readonly string[], image = 'hindsight'): Promise<void> {
    const where = ['--detach', '--name', nameOf(name), '--network', run, '--network-alias', name];
    await docker('run', ...where, ...hardened, ...options, image, name);
  }

  const stateOf = async (format: string): Promise<string> =>
    docker('inspect', '--format', `{{.State.${format}}}`, standalone);

  async function untilHealth(wanted: 'healthy' | 'unhealthy'): Promise<void> {
    const deadline = Date.now() + WITHIN_MS;
    for (;;) {
      const [state, health] = (await stateOf('Status}} {{.State.Health.Status')).split(' ');
      if (health === wanted) return;
      if (state === 'exited' || Date.now() > deadline)
        throw new Error(`it is ${state}, ${health}: ${await docker('logs', '--tail', '20', standalone)}`);
      await sleep(POLL_MS);
    }
  }

  it('is small: its part above the base is printed and bounded', async () => {
    const size = async (image: string): Promise<number> =>
      Number(await docker('image', 'inspect', '--format', '{{.Size}}', image)) / MEGABYTE;
    const above = (await size('hindsight')) - (await size(await baseImage()));
    process.stdout.write(`the image is ${above.toFixed(0)} MB above its base\n`);
    expect(above).toBeLessThan(MAX_ABOVE_BASE_MB);
  });

  it('holds no dev chain, no test, no build tool, and keeps the licences of packages', async () => {
    const listing = await docker(
      'run',
      '--rm',
      '--entrypoint',
      'find',
      'hindsight',
      '/app',
      '!',
      '-type',
      'd',
    );
    const files = listing.split('\n').map((path) => path.replace('/app/', ''));
    const own = files.filter((path) => !path.includes('node_modules/'));
    expect(own.length).toBeGreaterThan(200);
    expect(
      own.filter((path) =>
        /\.test\.ts$|(^|\/)(test|tests|scripts)\/|^(tools|clients\/(?!mcp|typescript|packages|cli\/package\.json)|docs\/(?!guides|networks|operations|openapi|asyncapi|recipes))/.test(
          path,
        ),
      ),
    ).toEqual([]);
    expect(own).toContain('clients/packages/index.json');
    expect(
      own.filter((path) => path.startsWith('devchain/') && !path.endsWith('package.json')).sort(),
    ).toEqual(['devchain/src/examples.ts', 'devchain/src/world.ts']);
    const packages = new Set(
      [...listing.matchAll(/node_modules\/((?:@[^/]+\/)?[^/\n]+)\//g)].map(([, name]) => name),
    );
    for (const name of ['fastify', 'mongodb', 'kafkajs', 'ethers']) expect(packages).toContain(name);
    const foreign =
      /^(@foundry-rs|@openzeppelin|@types|@jest)\/|^(node|solc|jest|typescript|oxlint|oxfmt|eslint|knip|testcontainers|playwright-core|dependency-cruiser)$/;
    expect([...packages].filter((name) => foreign.test(name ?? ''))).toEqual([]);
    const inPackages = files.filter((path) => path.includes('node_modules/'));
    expect(
      inPackages.filter((path) => /\.(map|ts|mts|cts|md)$/.test(path) && !/licen[cs]e|notice/i.test(path)),
    ).toEqual([]);
    expect(inPackages.filter((path) => /\/licen[cs]e/i.test(path)).length).toBeGreaterThan(100);
  });

  it('holds all that its processes import', async () => {
    const out = await docker('run', '--rm', ...hardened, '--entrypoint', 'sh', 'hindsight', '-c', IMPORT_ALL);
    expect(out).toMatch(/^\d+ modules$/);
    expect(Number.parseInt(out, 10)).toBeGreaterThan(20);
  });

  it('turns healthy, read-only, without privileges, and answers', async () => {
    await untilHealth('healthy');
    expect(await lookInside((script) => docker('exec', standalone, 'bash', '-c', script))).toBe(HARDENED);
  });

  it('answers a balance, for a key of the administration', async () => {
    const admin = ['run', '--rm', ...hardened, ...place, 'hindsight', 'admin'];
    const words = ['project', 'create', '--name', 'image', '--plan', 'free', '--json'];
    const made = JSON.parse(await docker(...admin, ...words)) as { key: string };
    const query = new URLSearchParams({
      token_address: TOKENS.usdc.address,
      holder: HOLDERS.treasury,
      block_height: '17999999',
    });
    const at = (await docker('port', standalone, '8080')).split('\n')[0]!;
    const url = `http://${at}/v1/eth-mainnet/balance/single?${query.toString()}`;
    const headers = { 'x-api-key': made.key };
    let answer = await fetch(url, { headers });
    // A slow dev chain makes it a 503 or 504: clients ask again.
    await until('the balance is answered', async () => {
      if (answer.status >= 500) answer = await fetch(url, { headers });
      return answer.status < 500;
    });
    expect(await answer.json()).toMatchObject({ balance: '1250000000000', chain_id: CHAIN.id });
  });

  it('turns unhealthy when the process answers no more, and healthy when it does again', async () => {
    // The first process is Docker's init; ours is its child.
    const signal = (name: string): Promise<string> =>
      docker('exec', standalone, 'sh', '-c', `kill -s ${name} $(cat /proc/1/task/1/children)`);
    await signal('STOP');
    await untilHealth('unhealthy');
    await signal('CONT');
    await untilHealth('healthy');
  });

  it('ends with 0 on SIGTERM, within the grace that docker-compose.yml gives', async () => {
    let code = '1';
    // A part that a busy machine has made late ends with 1: it is looked at again.
    for (let ends = 0; ends < MOST_ENDS && code === '1'; ends++) {
      await docker('start', standalone);
      await untilHealth('healthy');
      await docker('stop', '--time', String(GRACE_SECONDS), standalone);
      code = await stateOf('ExitCode');
    }
    // A process that had not heeded SIGTERM in time would have been killed: 137.
    expect(code).toBe('0');
  });

  it('says what to set where one process finds no node', async () => {
    const ended = docker('run', '--rm', ...hardened, 'hindsight', 'standalone');
    await expect(ended).rejects.toThrow('set ETH_RPC_URL');
  });
});

const GRACE_SECONDS = Number.parseInt(composed().stop_grace_period, 10);

/** Imports every module of a package that the sources name, each from the workspace that names it. */
const IMPORT_ALL = `node --experimental-import-meta-resolve --input-type=module -e '
  import { readFileSync, globSync } from "node:fs";
  const seen = new Set();
  for (const file of globSync("/app/{shared,services,clients}/*/src/**/*.ts").concat(globSync("/app/standalone/src/**/*.ts"))) {
    const text = readFileSync(file, "utf8");
    for (const [, name] of text.matchAll(/^(?:import|export) (?!type)[^;\\x27]*?from \\x27([^.\\x27][^\\x27]*)\\x27/gm)) {
      if (name.startsWith("node:") || name.startsWith("@hindsight/")) continue;
      if (seen.has(name)) continue;
      seen.add(name);
      await import(import.meta.resolve(name, "file://" + file));
    }
  }
  console.log(seen.size + " modules");
'`;

function composed(): {
  readonly stop_grace_period: string;
  readonly cap_drop: readonly string[];
  readonly security_opt: readonly string[];
  readonly tmpfs: readonly string[];
  readonly read_only: boolean;
  readonly init: boolean;
} {
  const file = parse(readFileSync(join(ROOT, 'docker-compose.yml'), 'utf8'), { merge: true }) as {
    readonly services: { readonly gateway: ReturnType<typeof composed> };
  };
  return file.services.gateway;
}

function hardening(): string[] {
  const { cap_drop, security_opt, tmpfs, read_only, init } = composed();
  return [
    ...(read_only ? ['--read-only'] : []),
    ...(init ? ['--init'] : []),
    ...cap_drop.flatMap((name) => ['--cap-drop', name]),
    ...security_opt.flatMap((option) => ['--security-opt', option]),
    ...tmpfs.flatMap((path) => ['--tmpfs', path]),
  ];
}
