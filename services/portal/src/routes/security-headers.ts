import type { HttpServer } from '@hindsight/http/types.ts';

interface Policy {
  /** The gateway's origin: the only other one that pages may call. */
  readonly apiOrigin: string;
  /** The portal is reached over https. */
  readonly https: boolean;
}

/** Two years, for this host only, because sibling hosts may belong to others. */
const HSTS = 'max-age=63072000';

/**
 * The gateway as a source of a Content-Security-Policy. No source can be an IPv6 address, and browsers ignore one: it is any
 * host with that scheme and port then.
 */
const sourceOf = (apiOrigin: string): string => apiOrigin.replace(/\[[\da-f:.]+\]/, '*');

/**
 * Restricts every page of the portal: it may run the portal's scripts and styles, call the portal and the
 * gateway, and never be framed.
 */
export function addSecurityHeaders(app: HttpServer, { apiOrigin, https }: Policy): void {
  const policy = [
    `default-src 'self'`,
    `script-src 'self'`,
    `style-src 'self'`,
    `img-src 'self' data:`,
    `font-src 'self'`,
    `connect-src 'self' ${sourceOf(apiOrigin)}`,
    `form-action 'self'`,
    `frame-ancestors 'none'`,
    `frame-src 'none'`,
    `object-src 'none'`,
    `base-uri 'none'`,
  ].join('; ');
  const headers: Record<string, string> = {
    'content-security-policy': policy,
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    // Not no-referrer: browsers would send `Origin: null` with the portal's own forms.
    'referrer-policy': 'same-origin',
    'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    ...(https ? { 'strict-transport-security': HSTS } : {}),
  };
  app.addHook('onRequest', (_request, reply, done) => {
    reply.headers(headers);
    done();
  });
}

/**
 * Headers for a page with foreign scripts, in place of the above. The browser gives it an opaque origin, so
 * it has no cookies or storage, cannot read the portal's pages, and may call the gateway only.
 */
export function sandboxHeaders(apiOrigin: string): Record<string, string> {
  return {
    'content-security-policy': [
      'sandbox allow-scripts allow-forms allow-downloads allow-popups allow-popups-to-escape-sandbox',
      `default-src 'none'`,
      `script-src 'self'`,
      // Scalar writes inline styles.
      `style-src 'self' 'unsafe-inline'`,
      `img-src 'self' data:`,
      `font-src 'self'`,
      `connect-src ${sourceOf(apiOrigin)}`,
      `form-action 'none'`,
      `frame-ancestors 'none'`,
      `base-uri 'none'`,
    ].join('; '),
    // Browsers refuse a sandboxed page that requires another value.
    'cross-origin-opener-policy': 'unsafe-none',
  };
}

/** Lets pages of any origin load a public file, sandboxed pages included. */
export const PUBLIC_FILE_HEADERS: Readonly<Record<string, string>> = {
  'access-control-allow-origin': '*',
  'cross-origin-resource-policy': 'cross-origin',
};
