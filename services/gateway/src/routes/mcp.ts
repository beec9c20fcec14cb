import { readBody } from '@hindsight/http/body.ts';
import { badRequest } from '@hindsight/kernel/errors.ts';
import type { IncomingHttpHeaders } from 'node:http';
import { CORS_HEADERS } from '../domain/cors.ts';
import { readCredentials } from '../domain/credentials.ts';
import { COST_HEADER } from '../domain/headers.ts';
import type { Caller } from '../own-api.ts';
import { identify, type Identification } from '../steps/authorize.ts';
import { checkBurst, type Limits } from '../steps/admit.ts';
import type { DirectExchange, DirectRoute } from '../upstreams/direct-routes.ts';

interface McpDeps extends Limits {
  readonly authentication: Identification;
  /** Asks this gateway's own API on behalf of a caller. */
  readonly fetchFor: (caller: Caller) => typeof globalThis.fetch;
  /** The base of sources; from the request if not given. */
  readonly publicUrl: string | undefined;
}

export const MCP_PATH = '/mcp';
/** Nothing looks at its host: it never leaves the process. */
const OWN_URL = 'http://gateway';

/** The limits of the API are not waited for long: a model decides better what to do. */
const MAX_WAIT_MS = 2_000;
const RETRIES = 2;
/** What the protocol reads; the key is not among them. */
const FORWARDED = ['accept', 'content-type', 'mcp-protocol-version'] as const;

/**
 * `POST /mcp`: tools for AI agents, over Streamable HTTP without sessions. Each tool asks the public API with the caller's
 * key, and is limited and counted as any request. The envelope is not counted; one that asks nothing takes a place in the
 * burst limit.
 */
export function mcpRoute(deps: McpDeps): DirectRoute {
  return {
    path: MCP_PATH,
    methods: ['POST'],
    headers: Object.entries(CORS_HEADERS).flat(),
    handle: (exchange) => answer(deps, exchange),
  };
}

async function answer(
  deps: McpDeps,
  { request, response, client, headers, bodyLimit }: DirectExchange,
): Promise<void> {
  const { key, url } = readCredentials(
    request.url ?? '',
    request.headers['x-api-key'] ?? bearerOf(request.headers),
  );
  const { address } = client;
  const { origin } = request.headers;
  const project = await identify(deps.authentication, key, { scope: 'read', address, origin });
  if (url !== MCP_PATH) throw badRequest('unknown parameter; expected none');
  const body = await readBody(request, bodyLimit);
  const left = new AbortController();
  response.once('close', () => left.abort(new Error('the client left')));
  // Most gateways are never asked by an agent, and need not hold what answers it.
  const { createClient } = await import('@hindsight/client');
  const { answerOverHttp } = await import('@hindsight/mcp');
  let calls = 0;
  let units = 0;
  const api = createClient({
    apiKey: key ?? '',
    url: OWN_URL,
    fetch: deps.fetchFor({ address, origin }),
    retries: RETRIES,
    maxRetryWaitMs: MAX_WAIT_MS,
    onResponse: (_attempt, outcome) => {
      calls += 1;
      units += outcome.units ?? 0;
    },
  });
  const base = deps.publicUrl ?? `${client.protocol}://${client.host}`;
  const asked = new Request(OWN_URL + MCP_PATH, {
    method: 'POST',
    headers: FORWARDED.flatMap((name): [string, string][] => {
      const value = request.headers[name];
      return value === undefined ? [] : [[name, String(value)]];
    }),
    body: new Uint8Array(body ?? []),
  });
  const answered = await answerOverHttp(
    { client: api, url: base.replace(/\/$/, ''), signal: left.signal },
    asked,
  );
  const status = calls === 0 ? checkBurst(deps, project, address).rawHeaders() : [];
  const text = Buffer.from(await answered.arrayBuffer());
  response.writeHead(answered.status, [
    ...headers,
    ...status,
    ...[COST_HEADER, String(units)],
    ...[...answered.headers].flat(),
    ...['cache-control', 'no-store'],
    ...['content-length', String(text.length)],
  ]);
  response.end(text);
}

/** Many agents can send nothing else. */
function bearerOf({ authorization = '' }: IncomingHttpHeaders): string | undefined {
  return /^bearer ([^ ]+)$/i.exec(authorization)?.[1];
}
