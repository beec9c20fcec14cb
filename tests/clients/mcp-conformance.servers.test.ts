/** The protocol's own suite against an installation: nothing fails but what `conformance.yml` names, with its reasons. */
import { afterAll, expect, it } from '@jest/globals';
import { describeOnInstalled } from '@hindsight/tools/servers/suite.ts';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { makeFastKey } from '../support/fast-key.ts';
import { sharedHindsight } from '../support/shared-hindsight.ts';

const EXPECTED = resolve(import.meta.dirname, '../../clients/mcp/conformance.yml');
const run = promisify(execFile);

await describeOnInstalled('POST /mcp', { name: 'mcp-conformance', env: process.env }, (folder) => {
  const results = mkdtempSync(join(tmpdir(), 'hindsight-conformance-'));
  afterAll(() => rmSync(results, { recursive: true, force: true }));

  it('passes the conformance suite of the protocol', async () => {
    const { url, dataDir } = await sharedHindsight(process.env);
    const key = await makeFastKey(dataDir);
    const program = join(folder, 'node_modules/@modelcontextprotocol/conformance/dist/index.js');
    const args = ['server', '--suite', 'all', '--url', `${url}/mcp?projectId=${key}`];
    const { stdout } = await run(process.execPath, [program, ...args, '--expected-failures', EXPECTED], {
      cwd: results,
      maxBuffer: 64 * 1024 * 1024,
    });
    expect(stdout).toMatch(/tools-list/);
  });
});
