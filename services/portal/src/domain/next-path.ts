/** Default page after a sign-in. */
export const HOME = '/dashboard';

const MAX_LENGTH = 500;
const NOWHERE = 'http://nowhere.invalid';

/**
 * A path of this site to continue to, or else the dashboard: a link to the portal must not lead users to
 * another site. Browsers take `//host`, `/\host` and `/a/..//host` for other hosts.
 */
export function safeNext(text: unknown): string {
  if (typeof text !== 'string' || text.length > MAX_LENGTH || !/^\/(?![/\\])[\x21-\x7e]*$/.test(text))
    return HOME;
  if (text.includes('\\') || !URL.canParse(text, NOWHERE)) return HOME;
  const { origin, pathname, search, hash } = new URL(text, NOWHERE);
  if (origin !== NOWHERE || pathname.startsWith('//')) return HOME;
  return `${pathname}${search}${hash}`;
}
