import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { machineEnv } from '../../tests/support/machine.ts';
import { freePort } from '../servers/ports.ts';
import { startService, type ServiceRun } from '../stack/service-process.ts';

/** Ends at its first starts, as where a store is not there yet; serves at any other. */
const PROGRAM = `
  import { appendFileSync, readFileSync } from 'node:fs';
  import { createServer } from 'node:http';
  appendFileSync('starts', 'x');
  if (readFileSync('starts', 'utf8').length <= process.env.FAILS) throw new Error('no store yet');
  createServer((_request, response) => response.end()).listen(process.env.PORT, '127.0.0.1');
`;

let folder: string;
let run: ServiceRun;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'hindsight-service-'));
  writeFileSync(join(folder, 'main.mjs'), PROGRAM);
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const spec = { name: 'portal', main: 'main.mjs', port };
  run = {
    placed: { spec, name: 'portal-1', url, metricsUrl: url, env: {} },
    root: folder,
    logFile: join(folder, 'portal-1.log'),
    machine: machineEnv(),
    env: { PORT: String(port), FAILS: '2' },
    restart: false,
    onChange: () => undefined,
  };
});
afterEach(() => rmSync(folder, { recursive: true }));

it('starts a service again that ends while it starts', async () => {
  const service = await startService(run);
  await service.stop();
  expect(readFileSync(join(folder, 'starts'), 'utf8')).toBe('xxx');
});

it('says why a service did not come up, with its last words', async () => {
  await expect(startService({ ...run, env: { FAILS: '3' } })).rejects.toThrow(
    /^portal-1 did not come up: exit code 1\n[^]*no store yet/,
  );
});
