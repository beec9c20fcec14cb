import { parseCookie, stringifySetCookie } from 'cookie';
import { DAY_MS, HOUR_MS } from '@hindsight/kernel/durations.ts';

/** The portal's cookies: HttpOnly, SameSite=Lax, and Secure if the portal is reached over https. */
export type Cookies = ReturnType<typeof createCookies>;

/** Longer than any link that a browser waits for. */
const BROWSER_SECONDS = (2 * DAY_MS) / 1_000;
/** As long as someone may look for the mail. */
const ADDRESSEE_SECONDS = HOUR_MS / 1_000;
/** Longer than most people stay away. */
const KNOWN_SECONDS = (180 * DAY_MS) / 1_000;
/** Secrets of other lengths are ignored. */
const [MIN_SECRET_LENGTH, MAX_LENGTH] = [20, 100];
/** An address has at most 254 characters; base64url makes four of three bytes. */
const MAX_ADDRESSEE_LENGTH = 400;

const asItIs = (text: string): string => text;

/** @param https whether browsers reach the portal over https; then other sites of the same domain cannot set them either */
export function createCookies(https: boolean) {
  const prefix = https ? '__Host-' : '';
  const names = {
    session: `${prefix}hindsight-session`,
    browser: `${prefix}hindsight-browser`,
    addressee: `${prefix}hindsight-addressee`,
    known: `${prefix}hindsight-known`,
  };
  const set = (name: string, value: string, maxAge: number): string =>
    stringifySetCookie({ name, value, maxAge, path: '/', httpOnly: true, sameSite: 'lax', secure: https });
  const read = (header: string | undefined, name: string, maxLength = MAX_LENGTH): string | undefined => {
    // Our values need no decoding, and each broken escape in a foreign cookie would cost an exception.
    const value = header === undefined ? undefined : parseCookie(header, { decode: asItIs })[name];
    return value !== undefined && /^[\w-]+$/.test(value) && value.length <= maxLength ? value : undefined;
  };
  const readSecret = (header: string | undefined, name: string): string | undefined => {
    const value = read(header, name);
    return value !== undefined && value.length >= MIN_SECRET_LENGTH ? value : undefined;
  };
  return {
    session: (header: string | undefined) => readSecret(header, names.session),
    /** The secret that identifies a browser between the steps of signing up or in. */
    browser: (header: string | undefined) => readSecret(header, names.browser),
    /** The device cookie: the mark of a browser that has signed in before. */
    known: (header: string | undefined) => read(header, names.known),
    /** The address that a confirmation link was sent to, as its reader typed it. */
    addressee(header: string | undefined) {
      const value = read(header, names.addressee, MAX_ADDRESSEE_LENGTH);
      return value === undefined ? undefined : Buffer.from(value, 'base64url').toString();
    },
    setSession: (secret: string, seconds: number) => set(names.session, secret, seconds),
    setBrowser: (secret: string) => set(names.browser, secret, BROWSER_SECONDS),
    setKnown: (mark: string) => set(names.known, mark, KNOWN_SECONDS),
    /** Kept in the browser alone: in a page's address it would reach logs and histories. */
    setAddressee: (email: string) =>
      set(names.addressee, Buffer.from(email).toString('base64url'), ADDRESSEE_SECONDS),
    clearSession: () => set(names.session, '', 0),
  };
}
