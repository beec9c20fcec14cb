/** Every document of the portal, guides and endpoints: accessible, and no wider than its window. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { runPortal, type RunningPortal } from '@hindsight/portal/test/support/run-portal.ts';
import { documentPaths } from '@hindsight/portal/test/support/written-pages.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { examiner } from '../support/browser/looks.ts';
import { PORTAL_PAGES } from '../support/browser/portal-pages.ts';
import { describeInBrowser } from '../support/browser/suite.ts';
import { openReader, type Reader } from '../support/browser/visit.ts';

const DOCUMENTS = await documentPaths();

describeInBrowser('Every document', process.env, (browser) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'hindsight-documents-'));
  const faultsOf = examiner(process.env);
  let portal: RunningPortal;
  let reader: Reader;
  beforeAll(async () => {
    portal = await runPortal({ dataDir });
    reader = await openReader(browser());
  });
  afterAll(async () => {
    await reader?.context.close();
    await portal?.stop();
    rmSync(dataDir, { recursive: true });
  });

  it('is here, or among the pages', async () => {
    const sitemap = await (await fetch(`${portal.url}/sitemap.xml`)).text();
    const listed = [...sitemap.matchAll(/<loc>(.+?)<\/loc>/g)].map(([, url = '']) => new URL(url).pathname);
    const known = new Set([...DOCUMENTS, ...PORTAL_PAGES.map(({ path }) => path)]);
    expect(listed.filter((path) => !known.has(path))).toEqual([]);
  });

  describe('passes axe, and fits, light and dark, on a phone as well', () => {
    it.each(DOCUMENTS)('%s', async (path) => {
      expect(await faultsOf(reader, portal.url + path)).toEqual([]);
    });
  });
});
