/**
 * `npm run build:openapi`: starts the embedded default on the dev chain, sends it the examples, writes
 * docs/openapi.json and the client's paths and types of it.
 */
import { execFile, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { install } from '../servers/install.ts';
import { CLIENT_PATHS, makeClientPaths, type ApiPaths } from './client-paths.ts';
import { CLIENT_TYPES, makeClientTypes } from './client-types.ts';
import { openApiOf } from './document.ts';
import { OPERATIONS } from './operations.ts';
import { recordExamples } from './record-examples.ts';

const SERVER = 'http://127.0.0.1:8080';
const READY_WITHIN_MS = 60_000;

const file = new URL('../../docs/openapi.json', import.meta.url);
const dataDir = mkdtempSync(join(tmpdir(), 'hindsight-openapi-'));
const { PATH, HOME } = process.env;
const ports = { PORT: '0', METRICS_PORT: '0', PORTAL_PORT: '0' };
const child = spawn(process.execPath, [new URL('../../standalone/src/main.ts', import.meta.url).pathname], {
  env: { PATH, HOME, ...ports, DATA_DIR: dataDir, PUBLIC_URL: SERVER },
  stdio: ['ignore', 'pipe', 'inherit'],
});
const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));

try {
  const url = await untilReady();
  const examples = await recordExamples({ url, key: await makeKey() }, OPERATIONS);
  const text = JSON.stringify(openApiOf(OPERATIONS, examples, SERVER), null, 2);
  writeFileSync(file, `${text}\n`);
  writeFileSync(CLIENT_PATHS, makeClientPaths(JSON.parse(text) as ApiPaths));
  writeFileSync(CLIENT_TYPES, await makeClientTypes(await install('openapi-typescript')));
} finally {
  child.kill('SIGTERM');
  await ended;
  rmSync(dataDir, { recursive: true, force: true });
}

/** Makes a project that no limit slows down. */
async function makeKey(): Promise<string> {
  const admin = new URL('../../standalone/src/admin/main.ts', import.meta.url).pathname;
  const limits = ['--monthly-limit', '1000000', '--rate', '1000'];
  const words = ['project', 'create', '--name', 'Examples', '--plan', 'enterprise', ...limits, '--json'];
  const env = { PATH, HOME, DATA_DIR: dataDir };
  const { stdout } = await promisify(execFile)(process.execPath, [admin, ...words], { env });
  return (JSON.parse(stdout) as { key: string }).key;
}

/** Resolves to where the gateway is. */
function untilReady(): Promise<string> {
  return new Promise((resolve, reject) => {
    const late = setTimeout(
      () => reject(new Error('the installation is not ready in time')),
      READY_WITHIN_MS,
    );
    let text = '';
    child.stdout.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      const url = /ready at (http:\/\/[\w.:-]*\w)/.exec(text)?.[1];
      if (url === undefined) return;
      clearTimeout(late);
      resolve(url);
    });
    void ended.then(() => reject(new Error(`the installation ended:\n${text}`)));
  });
}
