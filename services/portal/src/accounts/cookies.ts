import { parseCookie, stringifySetCookie } from 'cookie';
import { DAY_MS } from '@hindsight/kernel/durations.ts';

/** The portal's cookies: HttpOnly, SameSite=Lax, and Secure if the portal is reached over https. */
export interface Cookies {
  /** The secret of the session in a Cookie header. */
  session(header: string | undefined): string | undefined;
  /** The secret that identifies a browser between the steps of signing up or in. */
  browser(header: string | undefined): string | undefined;
  setSession(secret: string, seconds: number): string;
  setBrowser(secret: string): string;
  /** Removes the session. */
  clearSession(): string;
}

/** Longer than any link that a browser waits for. */
const BROWSER_SECONDS = (2 * DAY_MS) / 1_000;
/** Longer values are ignored. */
const MAX_LENGTH = 100;

const asItIs = (text: string): string => text;

/** @param https whether browsers reach the portal over https; then other sites of the same domain cannot set them either */
export function createCookies(https: boolean): Cookies {
  const prefix = https ? '__Host-' : '';
  const names = { session: `${prefix}hindsight-session`, browser: `${prefix}hindsight-browser` };
  const set = (name: string, value: string, maxAge: number): string =>
    stringifySetCookie({ name, value, maxAge, path: '/', httpOnly: true, sameSite: 'lax', secure: https });
  const read = (header: string | undefined, name: string): string | undefined => {
    // Our values need no decoding, and each broken escape in a foreign cookie would cost an exception.
    const value = header === undefined ? undefined : parseCookie(header, { decode: asItIs })[name];
    return value !== undefined && /^[\w-]{20,}$/.test(value) && value.length <= MAX_LENGTH
      ? value
      : undefined;
  };
  return {
    session: (header) => read(header, names.session),
    browser: (header) => read(header, names.browser),
    setSession: (secret, seconds) => set(names.session, secret, seconds),
    setBrowser: (secret) => set(names.browser, secret, BROWSER_SECONDS),
    clearSession: () => set(names.session, '', 0),
  };
}
