import {
  choice,
  integer,
  optionalAddressList,
  optionalBaseUrl,
  optionalConnectionString,
  port,
  requiredUrl,
  text,
  type Setting,
} from './config.ts';
import { z } from 'zod';
import { LOG_LEVELS } from './logger.ts';
import { parseRedisAddress, REDIS_SCHEMES } from './redis-address.ts';
import { TELEMETRY_SETTINGS } from './telemetry/settings.ts';

/** Settings of every service process, besides its own; `defaultPort` is where it listens by default. */
export function serviceSettings(defaultPort: number) {
  return {
    ...TELEMETRY_SETTINGS,
    HOST: text('the address to listen on', '127.0.0.1'),
    PORT: port('the port to listen on', defaultPort),
    METRICS_PORT: port('the port of /metrics, which is not public', defaultPort + 1_000),
    DRAIN_MS: drainMs(2_000),
    LOG_LEVEL: choice('how much is logged', LOG_LEVELS, 'info'),
  };
}

/*
 * Settings of several processes. Each lists in its own table which of these it uses, and says in `about` what for and
 * what happens without it.
 */

export function drainMs(byDefault: number): Setting<number> {
  const about =
    'milliseconds after SIGTERM in which requests are still taken while /readyz says 503; then at most 8 s to end';
  return integer(about, { min: 0, max: 300_000, default: byDefault });
}

export const CLICKHOUSE_URL = optionalConnectionString(
  'where ClickHouse is, which keeps the index; the embedded engine if not set',
  ['http', 'https'],
);

export const TRUST_PROXY = optionalAddressList('addresses of proxies whose X-Forwarded-For is believed');

export function workers(about: string, needs: readonly string[] = []): Setting<number> {
  return { ...integer(about, { min: 1, max: 64, default: 1 }), needs };
}

export const PUBLIC_URL = optionalBaseUrl('the base of absolute links, such as https://api.example.org');

export const SECURITY_CONTACT: Setting<string | undefined> = {
  about: 'where vulnerabilities are reported, in security.txt: mailto: or https://; no such file if not set',
  schema: z
    .string()
    .max(500)
    .regex(/^(?:mailto:|https:\/\/)[!-~]+$/, 'expected an address beginning with mailto: or https://')
    .optional(),
};

/** A network as paths name it: `eth-mainnet`. */
export const NETWORK_NAME = /^[a-z](?:-?[a-z0-9]){1,39}$/;

export function networkNames(about: string): Setting<readonly string[] | undefined> {
  const expected = 'expected names such as eth-mainnet, separated by commas, each once';
  const schema = z
    .string()
    .max(4_096, expected)
    .transform((value) => value.split(',').map((name) => name.trim()))
    .refine((names) => names.every((name) => NETWORK_NAME.test(name)), expected)
    .refine((names) => new Set(names).size === names.length, expected)
    .optional();
  return { about, schema };
}

/** URLs of a service’s instances: of any network, and of those that have instances of their own. */
export interface ServiceUrls {
  readonly all: readonly string[];
  readonly byNetwork: ReadonlyMap<string, readonly string[]>;
}

/**
 * URLs of a service, separated by commas; one with a network before it, `base-mainnet=http://…`, answers for that network
 * alone. @param several whether there may be several for the same network
 */
export function serviceUrls(about: string, several: boolean): Setting<ServiceUrls> {
  const urls = requiredUrl('', ['http:']).schema;
  const schema = z.string().transform((text, context): ServiceUrls => {
    const all: string[] = [];
    const byNetwork = new Map<string, string[]>();
    for (const entry of text.split(',').map((part) => part.trim())) {
      const [, network, url = entry] = /^([a-z0-9-]+)=(.*)$/.exec(entry) ?? [];
      const isRight = urls.safeParse(url).success && (network === undefined || NETWORK_NAME.test(network));
      const list = network === undefined ? all : (byNetwork.get(network) ?? []);
      if (!isRight || (!several && list.length > 0)) context.addIssue('expected URLs of a service');
      list.push(url);
      if (network !== undefined) byNetwork.set(network, list);
    }
    if (all.length === 0 && byNetwork.size === 0) context.addIssue('expected URLs of a service');
    return { all, byNetwork };
  });
  const one = 'http://…, or base-mainnet=http://… for a process of one network; several separated by commas';
  return { about: `${about}; ${one}`, secret: true, schema };
}

export function dataDir(about: string): Setting<string> {
  return text(about, './data');
}

export function mongodbUrl(about: string): Setting<string | undefined> {
  return optionalConnectionString(about, ['mongodb', 'mongodb+srv']);
}

export function redisUrl(about: string): Setting<string | undefined> {
  const { schema } = optionalConnectionString(about, REDIS_SCHEMES);
  return {
    about: `${about}; redis://host:6379, redis+cluster://host:6379,host:6379 or redis+sentinel://host:26379,host:26379/name, with rediss over TLS`,
    secret: true,
    schema: schema.refine((url) => url === undefined || parseRedisAddress(url) !== undefined),
  };
}
