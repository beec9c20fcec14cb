/** Headers that pass the gateway, in each direction: a flat list of names and values. */

/** Headers as Node parsed them: names lower-cased. */
type IncomingHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** RFC 9110, section 7.6.1, and further names that older peers treat so. */
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

/** Also dropped: headers that the gateway sets, or that services must not see. */
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

/** Cost of an authenticated answer. */
export const COST_HEADER = 'x-units';

/** Also dropped: headers that the gateway sets on every answer. */
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

/** Headers that tell a service the caller; a client's own are dropped. */
export const INTERNAL_PREFIX = 'x-hindsight-';

export interface Forwarding {
  readonly requestId: string;
  readonly projectId: string;
  readonly plan: string;
  readonly client: { readonly address: string; readonly host: string; readonly protocol: string };
  /** The services' tags of answers that the client has, in the form of `If-None-Match`. */
  readonly knownTags?: string | undefined;
  readonly withBody: boolean;
}

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
 * The headers of the answer: the gateway's own, then the service's.
 * @param signTag turns a service's entity tag into the one for clients
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

/** Headers for the next hop only, as `Connection` names them. */
function namedBy(connection: string | string[] | undefined): readonly string[] {
  if (connection === undefined || connection === 'keep-alive' || connection === 'close') return NONE;
  // No expression with blanks on both sides of the comma: its scan is quadratic in the blanks.
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
