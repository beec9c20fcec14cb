/**
 * The connection string of one database on a server, in place of the database in the server's string: suites
 * that share a server use separate databases.
 */
export function withDatabase(url: string, database: string): string {
  const [, server, query = ''] = /^([^:]+:\/\/[^/?]+)(?:\/[^?]*)?(\?.*)?$/.exec(url) ?? [];
  if (server === undefined) throw new Error('the connection string has no host');
  return `${server}/${database}${query}`;
}

const WAITS = ['serverSelectionTimeoutMS', 'connectTimeoutMS', 'socketTimeoutMS'];

/**
 * The connection string of a server alone, for clients that wait a minute for whatever they need: on a busy machine the server, or
 * a suite's process, may stand still for half of one. The run's server is offered so.
 */
export function withLongWaits(server: string): string {
  return `${server}/?${WAITS.map((wait) => `${wait}=60000`).join('&')}`;
}

/** The same without them, for suites about the usual waits. */
export function withUsualWaits(url: string): string {
  const [place = '', query = ''] = url.split('?');
  const kept = query.split('&').filter((option) => option !== '' && !/TimeoutMS=/i.test(option));
  return [place, kept.join('&')].filter(Boolean).join('?');
}
