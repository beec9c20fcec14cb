/**
 * The connection string of one database on a server, whatever database the server's own string names: suites that share
 * a server use databases of their own.
 */
export function withDatabase(url: string, database: string): string {
  const [, server, query = ''] = /^([^:]+:\/\/[^/?]+)(?:\/[^?]*)?(\?.*)?$/.exec(url) ?? [];
  if (server === undefined) throw new Error('the connection string has no host');
  return `${server}/${database}${query}`;
}
