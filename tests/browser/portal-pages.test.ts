/** The list of pages that are examined and pictured: it forgets no route of the portal. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { runPortal, type RunningPortal } from '@hindsight/portal/test/support/run-portal.ts';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DRAWINGS, PICTURES, picturesOf } from '../support/browser/pictures.ts';
import { PORTAL_PAGES } from '../support/browser/portal-pages.ts';

/** Routes that answer files, data, or the download of a file. */
const NOT_PAGES = [
  '/.well-known/security.txt',
  '/assets/*',
  '/asyncapi.yaml',
  '/dashboard/projects/:id/audit/export',
  '/dashboard/projects/:id/usage',
  '/dashboard/projects/:id/usage/report.csv',
  '/favicon.ico',
  '/livez',
  '/llms.txt',
  '/openapi.json',
  '/packages.json',
  '/packages/:file',
  '/readyz',
  '/reference.md',
  '/reference/openapi.js',
  '/reference/scalar.js',
  '/robots.txt',
  '/sitemap.xml',
  '/status.json',
];

describe('The list of pages', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'hindsight-pages-'));
  let portal: RunningPortal;
  beforeAll(async () => {
    portal = await runPortal({ dataDir });
  });
  afterAll(async () => {
    await portal?.stop();
    rmSync(dataDir, { recursive: true });
  });

  it('has a page of each route that answers one', () => {
    const shown = new Set(PORTAL_PAGES.map(({ path }) => routeOf(path, portal.pages)));
    expect(portal.pages.filter((route) => !shown.has(route)).sort()).toEqual(NOT_PAGES);
  });

  it('has each page once, with all its pictures and no others', () => {
    const names = PORTAL_PAGES.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(readdirSync(PICTURES).sort()).toEqual([...names.flatMap(picturesOf), ...DRAWINGS].sort());
  });
});

/** The route that answers a path: one without parameters before others. */
function routeOf(path: string, routes: readonly string[]): string | undefined {
  const [pathname = ''] = path.split('?', 1);
  const matches = (route: string): boolean =>
    new RegExp(`^${route.replaceAll('*', '.+').replaceAll(/:\w+/g, '[^/]+')}$`).test(pathname);
  return routes.find((route) => route === pathname) ?? routes.find(matches);
}
