/** Which headers pass the gateway, in each direction. Names and values in turn, as they go out. */

/** Headers as Node parsed them: names lower-cased. */
type IncomingHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** RFC 9110, section 7.6.1, and what older peers treat as such. */
const HOP_BY_HOP = [
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
];

/** Beside those: ours to set, or of no concern behind the gateway. */
const NOT_FORWARDED = new Set([
  ...HOP_BY_HOP,
  'host',
  'x-api-key',
  'expect',
  'cookie',
  'authorization',
  'x-request-id',
  'if-none-match',
]);

/** What an authenticated answer cost. */
export const COST_HEADER = 'x-units';

/** Beside those: the gateway sets them on every answer. */
const NOT_ANSWERED = new Set([
  ...HOP_BY_HOP,
  'x-request-id',
  'traceparent',
  'access-control-allow-origin',
  'access-control-expose-headers',
  'ratelimit',
  'ratelimit-policy',
  COST_HEADER,
  'etag',
]);

/** Headers in which a service learns who asks; a client's own are dropped. */
const INTERNAL_PREFIX = 'x-hindsight-';

/** What the gateway adds to a forwarded request. */
export interface Forwarding {
  readonly requestId: string;
  readonly projectId: string;
  readonly plan: string;
  readonly client: { readonly address: string; readonly host: string; readonly protocol: string };
  /** The services' tags of answers that the client has, as `If-None-Match` lists them. */
  readonly knownTags?: string | undefined;
  /** Whether a body goes along. */
  readonly withBody: boolean;
}

/** The headers of the forwarded request. */
export function requestHeaders(incoming: IncomingHeaders, forwarding: Forwarding): string[] {
  const { requestId, projectId, plan, client, knownTags, withBody } = forwarding;
  const headers = [
    'x-request-id',
    requestId,
    'x-forwarded-for',
    client.address,
    'x-forwarded-host',
    client.host,
    'x-forwarded-proto',
    client.protocol,
    `${INTERNAL_PREFIX}project`,
    projectId,
    `${INTERNAL_PREFIX}plan`,
    plan,
  ];
  if (knownTags !== undefined) headers.push('if-none-match', knownTags);
  const named = namedBy(incoming.connection);
  for (const name in incoming) {
    if (NOT_FORWARDED.has(name) || isOurs(name) || (!withBody && name.startsWith('content-'))) continue;
    if (!named.includes(name)) push(headers, name, incoming[name]);
  }
  return headers;
}

/**
 * The headers of the answer: those that the gateway sets itself, and a service's.
 * @param signTag makes of a service's entity tag what clients get
 */
export function answerHeaders(
  own: readonly string[],
  incoming: IncomingHeaders,
  signTag: (tag: string) => string | undefined,
): string[] {
  const headers = [...own];
  if (typeof incoming.etag === 'string') push(headers, 'etag', signTag(incoming.etag));
  const named = namedBy(incoming.connection);
  for (const name in incoming) {
    if (NOT_ANSWERED.has(name) || name.startsWith(INTERNAL_PREFIX) || named.includes(name)) continue;
    push(headers, name, incoming[name]);
  }
  return headers;
}

function isOurs(name: string): boolean {
  return name.startsWith('x-') && (name.startsWith(INTERNAL_PREFIX) || name.startsWith('x-forwarded-'));
}

const NONE: readonly string[] = [];

/** What `Connection` names is for the next hop only. */
function namedBy(connection: string | string[] | undefined): readonly string[] {
  if (connection === undefined || connection === 'keep-alive' || connection === 'close') return NONE;
  // No expression with blanks on both sides of the comma: that scan is quadratic in the blanks.
  return [connection].flat().flatMap((value) =>
    value
      .toLowerCase()
      .split(',')
      .map((name) => name.trim()),
  );
}

function push(headers: string[], name: string, value: string | string[] | undefined): void {
  if (typeof value === 'string') headers.push(name, value);
  else for (const one of value ?? NONE) headers.push(name, one);
}
