/** A third-party project installs the packages that a running installation serves, and uses each. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFile, spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { packedClient } from './packed.ts';
import { makeFastKey } from '../support/fast-key.ts';
import { sharedHindsight, type SharedHindsight } from '../support/shared-hindsight.ts';

const CLIENT = `import { createClient } from '@hindsight/client';
const hindsight = createClient({ apiKey: process.env.HINDSIGHT_API_KEY, url: process.env.HINDSIGHT_URL });
const answer = await hindsight.balance.at({ token: 'native', holder: 'alice.eth', block: 18_000_000 });
console.log(answer.checked_at_block);`;

interface Served {
  readonly name: string;
  readonly url: string;
  readonly bytes: number;
  readonly integrity: string;
}

interface Locked {
  readonly resolved?: string;
  readonly integrity?: string;
  readonly inBundle?: boolean;
  readonly engines?: { readonly node?: string };
}
interface Lockfile {
  readonly packages: Readonly<Record<string, Locked>>;
}

let folder: string;
let hindsight: SharedHindsight;
let served: readonly Served[];
let start: (file: string, ...args: readonly string[]) => ChildProcessWithoutNullStreams;
let run: (file: string, ...args: readonly string[]) => Promise<string>;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'hindsight-installed-'));
  // Packed first: the portal's build would replace what another suite may be packing.
  await packedClient(process.env, 'cli');
  hindsight = await sharedHindsight(process.env);
  const apiKey = await makeFastKey(hindsight.dataDir);
  const env = { ...process.env, HINDSIGHT_API_KEY: apiKey, HINDSIGHT_URL: hindsight.url };
  run = async (file, ...args) => (await promisify(execFile)(file, args, { cwd: folder, env })).stdout;
  start = (file, ...args) => spawn(file, args, { cwd: folder, env });
  served = (await (await fetch(`${hindsight.portalUrl}/packages.json`)).json()) as Served[];
  writeFileSync(join(folder, 'package.json'), '{"type": "module"}');
  const urls = served.filter(({ name }) => name.startsWith('@hindsight/')).map(({ url }) => url);
  // A cache of its own: the machine's may have other packages of an earlier installation with the same port.
  await run('npm', 'install', '--cache', join(folder, 'npm'), '--no-audit', '--no-fund', ...urls);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function lockedPackages(): Lockfile['packages'] {
  return (JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8')) as Lockfile).packages;
}

describe('the packages of an installation', () => {
  it('are the client, the command line, the MCP server and the examples, as their integrity says', async () => {
    const names = ['@hindsight/client', '@hindsight/mcp', '@hindsight/cli', 'hindsight-python-examples'];
    expect(served.map(({ name }) => name)).toEqual(names);
    for (const { url, bytes, integrity } of served) {
      const body = Buffer.from(await (await fetch(url)).arrayBuffer());
      const hash = `sha512-${createHash('sha512').update(body).digest('base64')}`;
      expect([body.length, hash]).toEqual([bytes, integrity]);
    }
  });

  it('bring each other: none is fetched from a registry', () => {
    const packages = lockedPackages();
    const own = Object.entries(packages).filter(([path]) => /node_modules\/@hindsight\/\w+$/.test(path));
    const fetched = own.filter(([, { inBundle }]) => inBundle !== true);
    const known = served.filter(({ name }) => name.startsWith('@'));
    expect(fetched.map(([, { resolved, integrity }]) => [resolved, integrity]).sort()).toEqual(
      known.map(({ url, integrity }) => [url, integrity]).sort(),
    );
  });

  it('run on Node 20, as do all that they bring', () => {
    const newer = Object.entries(lockedPackages()).filter(([, { engines }]) => {
      const [, least] = /^>=\s*(\d+)/.exec(engines?.node ?? '') ?? [];
      return Number(least ?? 0) > 20;
    });
    expect(newer.map(([path, { engines }]) => `${path} ${engines?.node ?? ''}`)).toEqual([]);
  });

  it('are found under their names alone', async () => {
    for (const file of ['index.json', '..%2Fpack.ts', 'hindsight-client-0.0.0.tgz', '.new-1']) {
      expect((await fetch(`${hindsight.portalUrl}/packages/${file}`)).status).toBe(404);
    }
  });

  it('are revalidated by their ETag', async () => {
    const { url } = served[0]!;
    const etag = (await fetch(url)).headers.get('etag') ?? '';
    expect((await fetch(url, { headers: { 'if-none-match': etag } })).status).toBe(304);
  });
});

describe('a third-party project', () => {
  it('asks with the client', async () => {
    writeFileSync(join(folder, 'ask.js'), CLIENT);
    expect(await run(process.execPath, 'ask.js')).toBe('18000000\n');
  });

  it('asks with the command', async () => {
    const args = ['balance', 'native', 'alice.eth', '--at', '18000000', '--json'];
    const answer = JSON.parse(await run('npx', '--no', 'hindsight', ...args)) as object;
    expect(answer).toMatchObject({ checked_at_block: 18_000_000 });
  });

  it('speaks to the MCP server', async () => {
    const messages = [
      {
        id: 1,
        method: 'initialize',
        params: {
          protocolVersion: '2025-06-18',
          capabilities: {},
          clientInfo: { name: 'test', version: '1' },
        },
      },
      { id: 2, method: 'tools/call', params: { name: 'block_at', arguments: { at: '18000000' } } },
      { id: 3, method: 'resources/read', params: { uri: 'hindsight://guides/amounts.md' } },
    ];
    const child = start('npx', '--no', 'hindsight', 'mcp');
    for (const message of messages) child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
    let answers = '';
    // It ends when its input does, so that stays open until it has answered.
    for await (const chunk of child.stdout) {
      answers += String(chunk);
      if ([2, 3].every((id) => answers.includes(`"id":${id}}`))) child.stdin.end();
    }
    expect(answers).toContain('18000000');
    expect(answers).toContain('# Amounts');
  });

  it('runs the examples of Python', async () => {
    const { url } = served.find(({ name }) => name === 'hindsight-python-examples')!;
    writeFileSync(join(folder, 'python.tgz'), Buffer.from(await (await fetch(url)).arrayBuffer()));
    await run('tar', '-xzf', 'python.tgz');
    // Written for an installation at its default address.
    const program = readFileSync(join(folder, 'hindsight-python-examples/without-httpx.py'), 'utf8');
    writeFileSync(join(folder, 'ask.py'), program.replaceAll('http://127.0.0.1:8080', hindsight.url));
    expect(await run('python3', 'ask.py')).toMatch(/^0x\w{40} \d+\n0x\w{40} \d+\n$/);
  });
});
