/** An escape of a character that needs none, in a path. */
const NEEDLESS_ESCAPE = /%(?:2[de]|3\d|4[1-9a-f]|5[0-9af]|6[1-9a-f]|7[0-9ae])/gi;

/**
 * A URL as it is usually spelled: no escapes in its path that say nothing, and no empty query. Routers read any spelling; what
 * compares a path as text does not.
 * @see https://www.rfc-editor.org/rfc/rfc3986#section-6.2.2.2
 */
export function plainUrl(url: string): string {
  const [path = ''] = url.split('?', 1);
  const query = url.slice(path.length);
  return path.replaceAll(NEEDLESS_ESCAPE, decodeURIComponent) + (query === '?' ? '' : query);
}
