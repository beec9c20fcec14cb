/**
 * Clients of servers decode what their URL carries when they are made: one that cannot be decoded would end a start
 * without a word about which setting it is.
 */

/** Whether user name and password can be decoded, where there are any. */
export function hasReadableCredentials(url: string): boolean {
  if (!URL.canParse(url)) return true;
  const { username, password } = new URL(url);
  return isDecodable(`${username}:${password}`);
}

/** Whether every `%` begins an escape (RFC 3986, 2.1), and the escapes are UTF-8. */
export function isDecodable(text: string): boolean {
  try {
    return decodeURIComponent(text) !== undefined;
  } catch {
    return false;
  }
}
