/** Finds the key in a request and takes it out, so that nothing behind the gateway, and no log, ever sees it. */
import { badRequest } from '@hindsight/shared/errors.ts';

const KEY_PARAMETER = 'projectId';

/** The key that was sent, if any, and the URL without it. */
export interface Credentials {
  readonly key: string | undefined;
  /** Path and query as they are forwarded. */
  readonly url: string;
}

/**
 * Reads the `x-api-key` header and the `projectId` parameter; the header wins.
 * @throws {ApiError} 400 when `projectId` is given more than once
 */
export function readCredentials(url: string, header: string | string[] | undefined): Credentials {
  const { found, rest } = takeParameter(url, KEY_PARAMETER);
  if (found.length > 1) throw badRequest(`${KEY_PARAMETER}: given more than once; expected once`);
  const fromHeader = Array.isArray(header) ? header.join(',') : header;
  return { key: fromHeader ?? found[0], url: rest };
}

function takeParameter(url: string, name: string): { found: string[]; rest: string } {
  const at = url.indexOf('?');
  if (at === -1) return { found: [], rest: url };
  const found: string[] = [];
  const kept = url
    .slice(at + 1)
    .split('&')
    .filter((pair) => {
      const equals = pair.indexOf('=');
      const isKey = decode(equals === -1 ? pair : pair.slice(0, equals)) === name;
      if (isKey) found.push(equals === -1 ? '' : decode(pair.slice(equals + 1)));
      return !isKey;
    });
  return { found, rest: kept.length === 0 ? url.slice(0, at) : `${url.slice(0, at)}?${kept.join('&')}` };
}

function decode(text: string): string {
  if (!text.includes('%') && !text.includes('+')) return text;
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}
