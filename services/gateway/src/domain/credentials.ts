/**
 * Finds the key in a request and takes it out, so that nothing behind the gateway, and no log, ever sees it.
 */
import { badRequest } from '@hindsight/kernel/errors.ts';

const KEY_PARAMETER = 'projectId';

/** More than any endpoint takes; a query of thousands of them would keep the event loop busy before any key is checked. */
const MAX_PARAMETERS = 100;

/** Any spelling of the name that decodes to it: a match cannot throw, as decoding a malformed escape does. */
const KEY_NAME = new RegExp(`^${[...KEY_PARAMETER].map((char) => `(?:${char}|%${hexOf(char)})`).join('')}$`);

/** The key, if any was sent, and the URL without it. */
export interface Credentials {
  readonly key: string | undefined;
  /** Path and query to forward. */
  readonly url: string;
}

/**
 * Reads the `x-api-key` header and the `projectId` parameter; the header wins.
 * @throws {ApiError} 400 when `projectId` is given more than once, or there are too many parameters
 */
export function readCredentials(url: string, header: string | string[] | undefined): Credentials {
  const { found, rest } = takeKey(url);
  const fromHeader = Array.isArray(header) ? header.join(',') : header;
  return { key: fromHeader ?? found, url: rest };
}

function takeKey(url: string): { found: string | undefined; rest: string } {
  const at = url.indexOf('?');
  if (at === -1) return { found: undefined, rest: url };
  const query = url.slice(at + 1);
  const pairs = query.split('&', MAX_PARAMETERS + 1);
  if (pairs.length > MAX_PARAMETERS)
    throw badRequest(`too many parameters; expected at most ${MAX_PARAMETERS}`, 'too_many_parameters');
  const kept = pairs.filter((pair) => !isKey(pair));
  if (kept.length === pairs.length) return { found: undefined, rest: url };
  if (pairs.length - kept.length > 1)
    throw badRequest(`${KEY_PARAMETER}: given more than once; expected once`, 'repeated_key');
  const pair = pairs.find(isKey) ?? '';
  const equals = pair.indexOf('=');
  const rest = kept.length === 0 ? url.slice(0, at) : `${url.slice(0, at)}?${kept.join('&')}`;
  return { found: equals === -1 ? '' : decode(pair.slice(equals + 1)), rest };
}

function isKey(pair: string): boolean {
  const equals = pair.indexOf('=');
  const length = equals === -1 ? pair.length : equals;
  if (length < KEY_PARAMETER.length || length > 3 * KEY_PARAMETER.length) return false;
  return KEY_NAME.test(pair.slice(0, length));
}

/** In either case: `6[fF]`. */
function hexOf(char: string): string {
  const hex = char.charCodeAt(0).toString(16);
  return hex.replaceAll(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
}

function decode(text: string): string {
  if (!text.includes('%') && !text.includes('+')) return text;
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}
