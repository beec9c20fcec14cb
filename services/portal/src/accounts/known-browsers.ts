import { createHmac, createSecretKey, hkdfSync, timingSafeEqual } from 'node:crypto';
import { newNonce } from './secrets.ts';

const KEY_BYTES = 32;
const MARK = /^(?<name>[0-9a-f]{32})-(?<code>[\w-]{43})$/;

export type KnownBrowsers = ReturnType<typeof createKnownBrowsers>;

/**
 * Browsers that have signed in to an account, known by a mark in a cookie. Wrong passwords from elsewhere do not count for
 * them: strangers who try them could lock its owner out otherwise.
 * @param secret `SECRETS_KEY`
 */
export function createKnownBrowsers(secret: string) {
  const key = createSecretKey(
    Buffer.from(hkdfSync('sha256', secret, '', 'hindsight known browsers', KEY_BYTES)),
  );
  const codeOf = (name: string, email: string): string =>
    createHmac('sha256', key).update(`${name} ${email}`).digest('base64url');
  return {
    /** A new mark, for the account of an address. */
    mark(email: string): string {
      const name = newNonce();
      return `${name}-${codeOf(name, email)}`;
    },
    /** The name of a mark; undefined if it is for another address, or not made here. */
    nameOf(mark: string | undefined, email: string): string | undefined {
      const { name, code } = MARK.exec(mark ?? '')?.groups ?? {};
      if (name === undefined || code === undefined) return undefined;
      return timingSafeEqual(Buffer.from(code), Buffer.from(codeOf(name, email))) ? name : undefined;
    },
  };
}
