/**
 * The connection string of one database on a server, in place of the database in the server's string: suites
 * that share a server use separate databases.
 */
export function withDatabase(url: string, database: string): string {
  const [, server, query = ''] = /^([^:]+:\/\/[^/?]+)(?:\/[^?]*)?(\?.*)?$/.exec(url) ?? [];
  if (server === undefined) throw new Error('the connection string has no host');
  return `${server}/${database}${query}`;
}
