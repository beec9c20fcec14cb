/** An escape of a character that needs none, in a path. */
const NEEDLESS_ESCAPE = /%(?:2[de]|3\d|4[1-9a-f]|5[0-9af]|6[1-9a-f]|7[0-9ae])/gi;

/** A server's address in front of a path, as clients of a proxy send it. */
const ORIGIN = /^https?:\/\/[^/?]*\/?/i;

/**
 * A URL as it is usually spelled: without a server's address, without escapes in its path that say nothing, and without an
 * empty query. Routers read any spelling; what compares a path as text does not.
 * @see https://www.rfc-editor.org/rfc/rfc9112#section-3.2.2
 * @see https://www.rfc-editor.org/rfc/rfc3986#section-6.2.2.2
 */
export function plainUrl(sent: string): string {
  // Almost all are: the rest costs a hundredth of a forwarded request.
  if (sent.startsWith('/') && !sent.includes('%') && !sent.endsWith('?')) return sent;
  const url = sent.replace(ORIGIN, '/');
  const [path = ''] = url.split('?', 1);
  const query = url.slice(path.length);
  return path.replaceAll(NEEDLESS_ESCAPE, decodeURIComponent) + (query === '?' ? '' : query);
}
