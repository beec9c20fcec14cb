import { systemClock } from '@hindsight/kernel/clock.ts';
import { ETH_MAINNET } from '@hindsight/chain/networks.ts';
import { createHttpServer, listen } from '@hindsight/http/server.ts';
import { createLifecycle, type Lifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { brotliDecompressSync } from 'node:zlib';
import { loadAssets, loadOpenApi, loadScalar } from '../adapters/assets.ts';
import { offerNetworks, operationsOf, type OpenApi } from '../domain/reference.ts';
import { loadGuides } from '../adapters/guides.ts';
import { addAssets } from './assets.ts';
import { addGuides } from './guides.ts';
import { addSearch } from './search.ts';
import { faultSender } from './faults.ts';
import { addReference } from './reference.ts';
import { addSecurityHeaders } from './security-headers.ts';

const API_URL = 'https://api.example.org';
const documented = loadOpenApi(API_URL, [ETH_MAINNET.name]);
const { loadReference } = documented;
const reference = await loadReference();
const operations = operationsOf(reference);
const DEMO_KEY = 'hs_"><script>';

let lifecycle: Lifecycle;
let url: string;
beforeAll(async () => {
  const logger = createLogger({ name: 'test', level: 'silent' });
  lifecycle = createLifecycle(logger);
  const context = {
    clock: systemClock,
    mailbox: false,
    sessions: { current: () => Promise.resolve(null) },
  };
  const app = createHttpServer({ logger, lifecycle, sendFault: faultSender(context) });
  addSecurityHeaders(app, { apiOrigin: API_URL, https: false });
  addAssets(app, loadAssets());
  addGuides(app, context, {
    guides: loadGuides(API_URL),
    loadReference,
    apiUrl: API_URL,
    originOf: () => API_URL,
  });
  addSearch(app, context, loadGuides(API_URL), loadReference);
  addReference(app, context, {
    apiOrigin: API_URL,
    demoKey: DEMO_KEY,
    networks: [ETH_MAINNET],
    ...documented,
    scalar: loadScalar(),
  });
  url = await listen(app, lifecycle, 'portal', { host: '127.0.0.1', port: 0 });
});
afterAll(() => lifecycle.shutdown('end of test'));

describe('the API explorer', () => {
  it('serves the OpenAPI document with the gateway’s address, to any origin', async () => {
    const answer = await fetch(`${url}/openapi.json`);
    const written = JSON.parse(
      readFileSync(new URL('../../../../docs/openapi.json', import.meta.url), 'utf8'),
    ) as OpenApi;
    const offered = offerNetworks(written, [ETH_MAINNET.name]);
    expect(await answer.json()).toEqual({ ...offered, servers: [{ url: API_URL }] });
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    const headers = { 'if-none-match': answer.headers.get('etag') ?? '' };
    expect((await fetch(`${url}/openapi.json`, { headers })).status).toBe(304);
  });

  it('is sandboxed without the portal’s origin, and may call the gateway only', async () => {
    const page = await fetch(`${url}/reference/explorer`);
    await page.arrayBuffer();
    const policy = page.headers.get('content-security-policy') ?? '';
    expect(policy).toMatch(/^sandbox allow-scripts /);
    expect(policy).not.toMatch(/allow-same-origin|allow-top-navigation/);
    expect(policy).toContain(`connect-src ${API_URL};`);
    expect(policy).toContain(`form-action 'none';`);
    // Browsers show an error instead of a sandboxed page with another value.
    expect(page.headers.get('cross-origin-opener-policy')).toBe('unsafe-none');
  });

  it('allows inline styles, but no more scripts than any other page', async () => {
    const page = await fetch(`${url}/reference/explorer`);
    await page.arrayBuffer();
    const policy = page.headers.get('content-security-policy');
    expect(policy).toContain(`style-src 'self' 'unsafe-inline';`);
    expect(policy).toContain(`script-src 'self';`);
    const others = await Promise.all(
      ['/openapi.json', '/reference/scalar.js', '/reference/openapi.js'].map((path) => fetch(url + path)),
    );
    for (const other of others) {
      expect(other.headers.get('content-security-policy')).not.toContain('unsafe');
      await other.arrayBuffer();
    }
  });

  it('serves its scripts, styles and fonts to pages of any origin, as a sandboxed page has none', async () => {
    const page = await (await fetch(`${url}/reference/explorer`)).text();
    const files = [...page.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path = '']) => path);
    expect(files.length).toBeGreaterThan(5);
    for (const path of [...files, '/reference/scalar.js', '/reference/openapi.js']) {
      const answer = await fetch(url + path);
      await answer.arrayBuffer();
      expect({
        path,
        status: answer.status,
        allows: answer.headers.get('access-control-allow-origin'),
        embeds: answer.headers.get('cross-origin-resource-policy'),
      }).toEqual({ path, status: 200, allows: '*', embeds: 'cross-origin' });
    }
  });

  it('gives its scripts the OpenAPI document as a script', async () => {
    const script = await (await fetch(`${url}/reference/openapi.js`)).text();
    const [, json = ''] = /^globalThis\.openApi = (.+);\n$/s.exec(script) ?? [];
    expect(JSON.parse(json)).toEqual(await (await fetch(`${url}/openapi.json`)).json());
  });

  it('refers to no other host in its page, styles and script, and has nothing inline', async () => {
    const page = await (await fetch(`${url}/reference/explorer`)).text();
    const own = page.match(/(?:src|href)="[^"]*"/g) ?? [];
    expect(own.length).toBeGreaterThan(5);
    expect(own.filter((link) => !/^(?:src|href)="[/#]/.test(link) || link.includes('="//'))).toEqual([]);
    expect(page).not.toMatch(/<script(?![^>]* src=)|\sstyle=|<style|\son\w+=/);
    expect(page).toContain('hs_&quot;&gt;&lt;script&gt;');
    const files = ['reference.js', 'reference.css', 'theme.js'];
    const texts = await Promise.all(files.map(async (name) => (await fetch(`${url}/assets/${name}`)).text()));
    expect(texts.join('')).not.toMatch(/https?:\/\/|["'(]\/\//);
  });

  it('turns off everything in Scalar that would send requests to third parties', async () => {
    const script = await (await fetch(`${url}/assets/reference.js`)).text();
    expect(script).toContain('withDefaultFonts: false');
    expect(script).toContain('telemetry: false');
    expect(script).toContain('agent: { disabled: true }');
    expect(script).toContain('mcp: { disabled: true }');
    expect(script).not.toMatch(/proxy(?:Url)?:/);
  });

  it('serves Scalar compressed, with an ETag, and without a link to a missing source map', async () => {
    const answer = await fetch(`${url}/reference/scalar.js`, { headers: { 'accept-encoding': 'identity' } });
    const text = await answer.text();
    expect(answer.headers.get('content-type')).toContain('text/javascript');
    expect(text).toContain('createApiReference');
    expect(text).not.toContain('sourceMappingURL=standalone');
    const { body, coded } = await loadScalar()();
    expect(body.toString()).toBe(text);
    expect(coded.br?.length).toBeLessThan(body.length / 3);
    expect(brotliDecompressSync(coded.br ?? Buffer.of()).toString()).toBe(text);
  });
});

describe('the API reference', () => {
  it('has a page and a Markdown twin for every operation of the document, and lists each once', async () => {
    const text = readFileSync(new URL('../../../../docs/openapi.json', import.meta.url), 'utf8');
    const { paths } = JSON.parse(text) as { paths: Record<string, object> };
    expect(operations.length).toBe(Object.values(paths).flatMap((methods) => Object.keys(methods)).length);
    expect(new Set(operations.map(({ slug }) => slug)).size).toBe(operations.length);
    const index = await (await fetch(`${url}/reference`)).text();
    const llms = await (await fetch(`${url}/llms.txt`)).text();
    for (const { slug } of operations) {
      expect(index.split(`href="/reference/${slug}"`).length - 1).toBe(1);
      expect(llms).toContain(`(/reference/${slug}.md)`);
    }
    expect(index).toContain('<h2 id="rate-limits">');
  });

  it.each(operations)(
    'shows all of $slug, without scripts',
    async ({ slug, title, samples, errors, parameters }) => {
      const page = await (await fetch(`${url}/reference/${slug}`)).text();
      const markdown = await (await fetch(`${url}/reference/${slug}.md`)).text();
      expect(page).toContain(`<h1>${title}</h1>`);
      expect(markdown).toContain(`# ${title}\n`);
      expect(samples.map(({ label }) => label)).toEqual(['curl', 'TypeScript', 'Python', 'Go']);
      for (const said of [page, markdown]) {
        expect(said).not.toContain('127.0.0.1:8080');
        for (const { name } of parameters) expect(said).toContain(name);
        for (const code of errors.flatMap(({ codes }) => codes))
          expect(said).toContain(`/docs/errors#${code}`);
      }
      expect(errors.flatMap(({ codes }) => codes)).toEqual(
        expect.arrayContaining(['key_invalid', 'burst_exceeded']),
      );
      expect(page).not.toMatch(/9007199254740991|\*\*|\]\(/);
    },
  );

  it('leads to a page with a row for every code', async () => {
    const page = await (await fetch(`${url}/docs/errors`)).text();
    const codes = new Set(operations.flatMap(({ errors }) => errors.flatMap((error) => error.codes)));
    for (const code of codes) expect(page).toContain(`<tr id="${code}">`);
  });

  it('is one Markdown document too', async () => {
    const whole = await (await fetch(`${url}/reference.md`)).text();
    for (const { title } of operations) expect(whole).toContain(`\n## ${title}\n`);
  });

  it('is searched on the server', async () => {
    const found = await (await fetch(`${url}/docs/search?q=rate+limit`)).text();
    expect(found).toContain('href="/reference#rate-limits"');
    const hostile = await (await fetch(`${url}/docs/search?q=%3Cscript%3E&q=2`)).text();
    expect(hostile).not.toContain('<script>');
    expect(await (await fetch(`${url}/docs/search`)).text()).toContain('<h1>Search</h1>');
  });

  it('does not know other names', async () => {
    const answer = await fetch(`${url}/reference/nothing`);
    expect([answer.status, await answer.json()]).toMatchObject([404, { code: 'not_found' }]);
  });
});
