/**
 * Client libraries decode their URL when they are created: one that cannot be decoded would abort the start without
 * naming the setting.
 */

/** True if user name and password, if any, can be decoded. */
export function hasReadableCredentials(url: string): boolean {
  if (!URL.canParse(url)) return true;
  const { username, password } = new URL(url);
  return isDecodable(`${username}:${password}`);
}

/** True if every `%` begins an escape (RFC 3986, 2.1), and the escapes are UTF-8. */
export function isDecodable(text: string): boolean {
  try {
    return decodeURIComponent(text) !== undefined;
  } catch {
    return false;
  }
}
