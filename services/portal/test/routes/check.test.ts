/** The page that checks an answer, and the scripts that it needs. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { forAllTests } from '@hindsight/kernel/test/support/world-of-tests.ts';
import { afterAll, describe, expect, it } from '@jest/globals';
import { runPortal } from '../support/run-portal.ts';

describe('GET /check', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'hindsight-check-'));
  const portal = forAllTests(() => runPortal({ dataDir }), 'stop');
  afterAll(() => rmSync(dataDir, { recursive: true }));

  it('shows a form that sends the answer nowhere, under the policy of every page', async () => {
    const answer = await portal.browser().get('/check');
    const page = await answer.text();
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-security-policy')).toContain(`script-src 'self';`);
    const [form = ''] = /<form id="check">[\s\S]*?<\/form>/.exec(page) ?? [];
    expect(form).toMatch(/<textarea id="answer"/);
    expect(form).not.toMatch(/action=|name="answer"/);
    expect(page).toContain('src="/assets/check.js"');
  });

  it('is in the sitemap', async () => {
    expect(await (await portal.browser().get('/sitemap.xml')).text()).toContain('/check</loc>');
  });

  it('has every script that its scripts import', async () => {
    const open = ['/assets/check.js'];
    const seen = new Set(open);
    for (const path of open) {
      const answer = await portal.browser().get(path);
      expect([path, answer.status]).toEqual([path, 200]);
      for (const [, from = ''] of (await answer.text()).matchAll(/from '([^']+)'/g)) {
        const { pathname } = new URL(from, `http://portal${path}`);
        if (!seen.has(pathname)) open.push(pathname);
        seen.add(pathname);
      }
    }
    expect([...seen]).toContain('/assets/generated/keccak.js');
  });
});
