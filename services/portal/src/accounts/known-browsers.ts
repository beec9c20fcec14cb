import { Codes } from '@hindsight/projects/codes.ts';
import { newNonce } from './secrets.ts';

const MARK = /^(?<name>[0-9a-f]{32})-(?<code>[\w-]{43})$/;

export type KnownBrowsers = ReturnType<typeof createKnownBrowsers>;

/**
 * Browsers that have signed in to an account, recognised by a device cookie. Wrong passwords from elsewhere do not count
 * against them: strangers could lock the account's owner out otherwise
 * (https://owasp.org/www-community/Slow_Down_Online_Guessing_Attacks_with_Device_Cookies).
 * @param secret `SECRETS_KEY`
 */
export function createKnownBrowsers(secret: string) {
  const codes = new Codes(secret, 'known browsers');
  const textOf = (name: string, email: string): string => `${name} ${email}`;
  return {
    /** A new cookie's value, for the account of an address. */
    mark(email: string): string {
      const name = newNonce();
      return `${name}-${codes.of(textOf(name, email))}`;
    },
    /** The browser's name in a cookie's value; undefined if that is for another address, or not made here. */
    nameOf(mark: string | undefined, email: string): string | undefined {
      const { name, code } = MARK.exec(mark ?? '')?.groups ?? {};
      if (name === undefined || code === undefined) return undefined;
      return codes.isOf(code, textOf(name, email)) ? name : undefined;
    },
  };
}
