import type { HttpServer } from '@hindsight/http/types.ts';
import type { OriginOf } from '../origin.ts';
import { html } from '../pages/html.ts';

/** `GET /sitemap.xml`: the public pages, for search engines (sitemaps.org). */
export function addSitemap(
  app: HttpServer,
  originOf: OriginOf,
  paths: () => Promise<readonly string[]>,
): void {
  app.get('/sitemap.xml', async (request, reply) => {
    const origin = originOf(request);
    const urls = html`<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
      ${(await paths()).map((path) => html`<url><loc>${origin + path}</loc></url>`)}
    </urlset>`;
    return reply
      .type('application/xml; charset=utf-8')
      .send(`<?xml version="1.0" encoding="UTF-8"?>\n${urls.toString()}\n`);
  });
}
