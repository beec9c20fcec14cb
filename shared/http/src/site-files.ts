/** Files that every site serves for crawlers and security researchers. */
import type { Clock } from '@hindsight/kernel/clock.ts';
import { notFound } from '@hindsight/kernel/errors.ts';
import type { HttpServer } from './types.ts';

/** A year, as RFC 9116 recommends at most. */
const EXPIRES_AFTER_MS = 365 * 24 * 3_600_000;

interface SiteFiles {
  /** Paths that crawlers should leave alone. */
  readonly disallowed: readonly string[];
  /** Address for reports of vulnerabilities; without it there is no security.txt. */
  readonly securityContact: string | undefined;
  readonly clock: Clock;
}

/** `GET /robots.txt`, and `/.well-known/security.txt` (RFC 9116), which expires a year after each request. */
export function addSiteFiles(app: HttpServer, { disallowed, securityContact, clock }: SiteFiles): void {
  const robots = ['User-agent: *', ...disallowed.map((path) => `Disallow: ${path}`), ''].join('\n');
  const text = 'text/plain; charset=utf-8';
  app.get('/robots.txt', (_request, reply) => reply.type(text).send(robots));
  app.get('/.well-known/security.txt', (_request, reply) => {
    if (securityContact === undefined)
      throw notFound('unknown_route', 'There is nothing at GET /.well-known/security.txt');
    const expires = new Date(clock.now() + EXPIRES_AFTER_MS).toISOString();
    const lines = [`Contact: ${securityContact}`, `Expires: ${expires}`, 'Preferred-Languages: en', ''];
    return reply.type(text).send(lines.join('\n'));
  });
}
