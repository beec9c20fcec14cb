/** Reads `REDIS_URL`: one server, the nodes of a cluster, or the Sentinels that know a server by its name. */

/** The servers to ask first; a cluster's nodes and Sentinels tell of the others. */
interface SeveralServers {
  readonly hosts: readonly { readonly host: string; readonly port: number }[];
  readonly tls: boolean;
  readonly username?: string;
  readonly password?: string;
}

export type RedisAddress =
  /** One server by its URL, as the driver reads it. */
  | { readonly kind: 'server'; readonly url: string }
  | (SeveralServers & { readonly kind: 'cluster' })
  /** The user and password are the server's, which the Sentinels call `master`; they may have a password of their own. */
  | (SeveralServers & {
      readonly kind: 'sentinel';
      readonly master: string;
      readonly sentinelPassword?: string;
    });

/** Schemes that {@link parseRedisAddress} reads. */
export const REDIS_SCHEMES = [
  'redis',
  'rediss',
  'redis+cluster',
  'rediss+cluster',
  'redis+sentinel',
  'rediss+sentinel',
];

const PORTS = { cluster: 6379, sentinel: 26_379 };
const SEVERAL =
  /^redis(?<tls>s?)\+(?<kind>cluster|sentinel):\/\/(?:(?<username>[^@/?#:]*)(?::(?<password>[^@/?#:]*))?@)?(?<hosts>[^@/?#]+)(?:\/(?<master>[\w.-]*))?(?:\?sentinelPassword=(?<sentinelPassword>[^&#]+))?$/;

/**
 * Reads an address:
 * `redis://user:password@host:6379/0`, `redis+cluster://user:password@host:6379,host:6379`,
 * `redis+sentinel://user:password@host:26379,host:26379/master?sentinelPassword=…`; with `rediss`, over TLS.
 * User, password and Sentinels' password are percent-encoded.
 * @returns undefined for what is not one
 */
export function parseRedisAddress(url: string): RedisAddress | undefined {
  if (/^rediss?:\/\//.test(url)) return { kind: 'server', url };
  const parts = SEVERAL.exec(url)?.groups;
  if (parts === undefined) return undefined;
  const kind = parts.kind as 'cluster' | 'sentinel';
  const { master } = parts;
  const names = (parts.hosts ?? '').split(',');
  const hosts = names.flatMap((name) => hostOf(name, PORTS[kind]) ?? []);
  if (hosts.length !== names.length) return undefined;
  const secrets = secretsOf(parts);
  if (secrets === undefined) return undefined;
  const { sentinelPassword, ...own } = secrets;
  const several = { hosts, tls: parts.tls === 's', ...own };
  if (kind === 'cluster') return master || sentinelPassword ? undefined : { kind, ...several };
  return master ? { kind, ...several, master, ...(sentinelPassword && { sentinelPassword }) } : undefined;
}

function secretsOf(parts: Partial<Record<string, string>>) {
  try {
    const named = ['username', 'password', 'sentinelPassword'].flatMap((name) => {
      const value = parts[name];
      return value ? [[name, decodeURIComponent(value)]] : [];
    });
    return Object.fromEntries(named) as { username?: string; password?: string; sentinelPassword?: string };
  } catch {
    return undefined;
  }
}

function hostOf(text: string, standardPort: number): { host: string; port: number } | undefined {
  const [, bracketed, name, port] = /^(?:\[([\da-f:.]+)\]|([\w.-]+))(?::(\d{1,5}))?$/i.exec(text) ?? [];
  const host = bracketed ?? name;
  const number = port === undefined ? standardPort : Number(port);
  return host === undefined || number < 1 || number > 65_535 ? undefined : { host, port: number };
}
