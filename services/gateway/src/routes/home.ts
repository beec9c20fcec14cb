import { preferredType } from '@hindsight/http/content-coding.ts';
import type { HttpServer } from '@hindsight/http/types.ts';
import { notFound } from '@hindsight/kernel/errors.ts';

/** Portal paths that people try on the API host; redirected. */
const AT_PORTAL = [
  '/docs',
  '/docs/*',
  '/reference',
  '/reference/*',
  '/openapi.json',
  '/llms.txt',
  '/favicon.ico',
] as const;

const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'; base-uri 'none'",
  'x-content-type-options': 'nosniff',
};

/**
 * `GET /`: links to everything else. The portal's documents redirect to it: an error's `docs` is a path of
 * this server.
 * @param portalUrl public address of the portal; undefined while unknown
 */
export function addHome(app: HttpServer, portalUrl: () => string | undefined): void {
  app.get('/', (request, reply) => {
    const links = linksOf(portalUrl());
    void reply.header('vary', 'accept');
    const type = preferredType(request.headers.accept, ['application/json', 'text/html']);
    return type === 'text/html' ? reply.headers(PAGE_HEADERS).send(pageOf(links)) : reply.send(links);
  });
  for (const path of AT_PORTAL) {
    app.get(path, (request, reply) => {
      const portal = portalUrl();
      // A query may have a key in it, and none of these needs one.
      const [asked = '/'] = request.url.split('?', 1);
      if (portal === undefined)
        throw notFound('unknown_route', `There is nothing at GET ${asked.slice(0, 200)}`);
      return reply.redirect(portal + asked, 302);
    });
  }
}

function linksOf(portal: string | undefined): Readonly<Record<string, string>> {
  const name = {
    name: 'Hindsight',
    about: 'Ethereum’s past over HTTP: balances, allowances and tokens at any block.',
  };
  if (portal === undefined) return { ...name, health: '/readyz' };
  return {
    ...name,
    docs: `${portal}/docs`,
    reference: `${portal}/reference`,
    openapi: `${portal}/openapi.json`,
    errors: `${portal}/docs/errors`,
    status: `${portal}/status`,
    health: '/readyz',
  };
}

function pageOf({ name, about, ...links }: Readonly<Record<string, string>>): string {
  const items = Object.entries(links).map(
    ([title, url]) => `<li>${title}: <a href="${escaped(url)}">${escaped(url)}</a></li>`,
  );
  return [
    '<!doctype html>',
    '<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">',
    `<title>${name} API</title></head>`,
    `<body><main><h1>${name} API</h1><p>${about}</p><ul>${items.join('')}</ul></main></body></html>`,
    '',
  ].join('\n');
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}
