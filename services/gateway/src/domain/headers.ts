/** Which headers pass the gateway, in each direction. */

type Headers = Record<string, string | string[]>;

/** Headers as Node parsed them: names lower-cased. */
type IncomingHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** RFC 9110, section 7.6.1, and what older peers treat as such. */
const HOP_BY_HOP = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Ours to set, or nobody's business behind the gateway. */
const NEVER_FORWARDED = new Set(['host', 'x-api-key', 'expect', 'cookie', 'authorization']);

/** Headers by which the gateway tells a service who asks; a client's own are dropped. */
const INTERNAL_PREFIX = 'x-hindsight-';

/** What the gateway adds to a forwarded request. */
export interface Forwarding {
  readonly requestId: string;
  readonly projectId: string;
  readonly plan: string;
  readonly clientAddress: string;
  readonly host: string;
  readonly protocol: string;
  /** Whether a body goes along. */
  readonly withBody: boolean;
}

/** The headers of the forwarded request. */
export function requestHeaders(incoming: IncomingHeaders, forwarding: Forwarding): Headers {
  const headers = endToEnd(incoming, (name) => {
    if (NEVER_FORWARDED.has(name) || name.startsWith(INTERNAL_PREFIX) || name.startsWith('x-forwarded-'))
      return false;
    return forwarding.withBody || !name.startsWith('content-');
  });
  headers['x-request-id'] = forwarding.requestId;
  headers['x-forwarded-for'] = forwarding.clientAddress;
  headers['x-forwarded-host'] = forwarding.host;
  headers['x-forwarded-proto'] = forwarding.protocol;
  headers[`${INTERNAL_PREFIX}project`] = forwarding.projectId;
  headers[`${INTERNAL_PREFIX}plan`] = forwarding.plan;
  return headers;
}

/** The headers of the answer as the client gets it. */
export function responseHeaders(incoming: IncomingHeaders): Headers {
  return endToEnd(incoming, (name) => !name.startsWith(INTERNAL_PREFIX));
}

function endToEnd(incoming: IncomingHeaders, passes: (name: string) => boolean): Headers {
  const named = [incoming.connection ?? []].flat().flatMap((value) => value.toLowerCase().split(/\s*,\s*/));
  const headers: Headers = {};
  for (const name in incoming) {
    const value = incoming[name];
    if (value === undefined || HOP_BY_HOP.has(name) || named.includes(name) || !passes(name)) continue;
    headers[name] = value;
  }
  return headers;
}
