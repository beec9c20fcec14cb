/**
 * Absolute links to other pages: they keep every filter, and carry parsed parameters only, so never a key.
 */

/** The target of a request, as far as links need it. */
export interface RequestTarget {
  /** The configured public address, if any. */
  readonly publicUrl: string | undefined;
  /** The protocol and host that the client used, as the gateway reports them. */
  readonly protocol: string;
  readonly host: string;
  /** The path that the client used, without a query. */
  readonly path: string;
}

/** A host name, an IPv4 address or an IPv6 address in brackets, with a port or without. */
const HOST = /^(?:[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?$/i;

/** Makes the link to a page. `filters`: the parameters besides page and limit, in their order. */
export function pageLink(
  { publicUrl, protocol, host, path }: RequestTarget,
  {
    page,
    limit,
    filters,
  }: { page: number; limit: number; filters: Readonly<Record<string, string | undefined>> },
): string {
  const base =
    publicUrl?.replace(/(?<!\/)\/+$/, '') ?? `${protocol === 'https' ? 'https' : 'http'}://${safeHost(host)}`;
  const query = new URLSearchParams({ page: String(page), limit: String(limit) });
  for (const [name, value] of Object.entries(filters)) if (value !== undefined) query.set(name, value);
  return `${base}${path}?${query.toString()}`;
}

/** The client chooses `Host`: an invalid one must not become part of a link. */
function safeHost(host: string): string {
  return HOST.test(host) ? host : 'localhost';
}
