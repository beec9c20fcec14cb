import { readBody } from '@hindsight/http/body.ts';
import { hasMoreValues } from '@hindsight/http/json-bodies.ts';
import { refuseCompressed } from '@hindsight/http/unread-body.ts';
import { ApiError, ClientLeft, badRequest } from '@hindsight/kernel/errors.ts';
import { once } from '@hindsight/kernel/once.ts';
import { nextTurn } from '@hindsight/kernel/turns.ts';
import type { FoundByKey } from '@hindsight/projects/ports.ts';
import type { IncomingHttpHeaders } from 'node:http';
import { readCredentials } from '../domain/credentials.ts';
import { COST_HEADER } from '../domain/headers.ts';
import { OWN_URL, type Caller } from '../upstreams/own-api.ts';
import type { Slots } from '../limits/slots.ts';
import { authenticate } from '../steps/authenticate.ts';
import { authorizeUse, type Identification } from '../steps/authorize.ts';
import { checkBurst, entrantOf, refusalHeaders, statusNow, type Limits } from '../steps/admit.ts';
import { sendWhole, type DirectExchange, type DirectRoute } from '../upstreams/direct-routes.ts';

interface McpDeps extends Limits {
  readonly authentication: Identification;
  /** Bounds messages whose answers are not read yet. */
  readonly slots: Slots;
  /** Calls this gateway's own API on behalf of a caller. */
  readonly fetchFor: (caller: Caller) => typeof globalThis.fetch;
  /** The base of sources; by default from the request. */
  readonly publicUrl: string | undefined;
}

export const MCP_PATH = '/mcp';
/** Room for 100 rows of 32 arguments, and for almost as many in lists: the parser's time grows with them. */
const MAX_VALUES = 6_000;
/** A refused call is read for its id up to this size: no limit bounds how many come. */
const MAX_REFUSED_BYTES = 8 * 1024;
/** Headers that the protocol reads; the key is not among them. */
const FORWARDED = ['accept', 'content-type', 'mcp-protocol-version', 'mcp-method', 'mcp-name'] as const;
const NOT_KEPT = ['cache-control', 'no-store'] as const;
/** A name or an address, and a port: nothing else of a `Host` header reaches a model. */
const HOST = /^(?:[a-z\d.-]{1,253}|\[[a-f\d:.]{2,45}\])(?::\d{1,5})?$/i;

/**
 * `POST /mcp`: tools for AI agents, over Streamable HTTP without sessions. Each message takes a token of the
 * burst limit before any work on it, and passes it to the first request of its tool. Each tool calls the
 * public API with the caller's key, and is limited and counted like any request; the envelope is not counted.
 */
export function mcpRoute(deps: McpDeps): DirectRoute {
  // Most gateways never serve an agent, so this is imported on first use: in turns, as it takes 100 ms.
  const load = once(loadAgents);
  return {
    path: MCP_PATH,
    methods: ['POST'],
    handle: (exchange) => answer({ ...deps, load }, exchange),
  };
}

type LoadingDeps = McpDeps & { readonly load: typeof loadAgents };

async function loadAgents() {
  const { createClient } = await import('@hindsight/client');
  await nextTurn();
  const { loadInParts } = await import('@hindsight/mcp/in-parts');
  return { createClient, ...(await loadInParts(nextTurn)) };
}

async function answer(deps: LoadingDeps, exchange: DirectExchange): Promise<void> {
  const { request, client, headers } = exchange;
  const { key, url } = readCredentials(
    request.url ?? '',
    request.headers['x-api-key'] ?? bearerOf(request.headers),
  );
  const project = await authenticate(deps.authentication, key, client.address);
  try {
    const { address } = client;
    const { origin } = request.headers;
    authorizeUse(deps.authentication, project, { scope: 'read', address, origin });
    if (url !== MCP_PATH) throw badRequest('unknown parameter; expected none');
    await answerMessage(deps, exchange, { project, key: key ?? '' });
  } catch (error) {
    headers.push(...Object.entries(refusalHeaders(deps, project, error)).flat());
    throw error;
  }
}

async function answerMessage(
  deps: LoadingDeps,
  exchange: DirectExchange,
  { project, key }: { readonly project: FoundByKey; readonly key: string },
): Promise<void> {
  const { request, response, client } = exchange;
  try {
    const status = checkBurst(deps, project, entrantOf(exchange));
    const leave = deps.slots.enter(project, client.address, status.headers());
    response.once('close', leave);
    // `close` may have fired already.
    if (response.destroyed) leave();
    const text = await readMessage(exchange);
    const { answered, units } = await work(deps, exchange, key, text);
    // Read after the tool's own requests.
    const cost = [...statusNow(deps, project).rawHeaders(), COST_HEADER, String(units)];
    const headers = [...cost, ...[...answered.headers].flat(), ...NOT_KEPT];
    sendWhole(exchange, answered.status, headers, Buffer.from(await answered.arrayBuffer()));
  } catch (error) {
    const { 'content-length': length = Infinity } = request.headers;
    const isLong = Number(length) > MAX_REFUSED_BYTES;
    if (!(error instanceof ApiError) || error.statusCode !== 429 || isLong) throw error;
    await refuse(deps, error, exchange);
  }
}

async function readMessage({ request, bodyLimit }: DirectExchange): Promise<string> {
  refuseCompressed(request.headers);
  const body = (await readBody(request, bodyLimit)) ?? Buffer.alloc(0);
  if (hasMoreValues(body, MAX_VALUES))
    throw badRequest(
      `body: it has more than ${MAX_VALUES} values and names; expected a message`,
      'invalid_body',
    );
  return String(body);
}

/** Answers the message. @returns the answer, and its cost in units */
async function work(
  deps: LoadingDeps,
  { request, response, client }: DirectExchange,
  apiKey: string,
  text: string,
): Promise<{ readonly answered: Response; readonly units: number }> {
  const left = new AbortController();
  response.once('close', () => left.abort(new ClientLeft()));
  const { createClient, answerOverHttp } = await deps.load();
  let asked = 0;
  let units = 0;
  const api = createClient({
    apiKey,
    url: OWN_URL,
    fetch: deps.fetchFor({
      address: client.address,
      origin: request.headers.origin,
      passBurstToken: () => asked++ === 0,
    }),
    // A model decides better on the next step than a further attempt would.
    retries: 0,
    onResponse: (_attempt, outcome) => (units += outcome.units ?? 0),
  });
  const headers = FORWARDED.flatMap((name): [string, string][] => {
    const value = request.headers[name];
    return value === undefined ? [] : [[name, String(value)]];
  });
  const answered = await answerOverHttp(
    { client: api, url: baseOf(deps, client), signal: left.signal },
    { headers, text },
  );
  return { answered, units };
}

/**
 * The call of a tool that a limit refuses gets an error that the model can read; any other message, and a
 * long one, gets HTTP's.
 */
async function refuse({ load }: LoadingDeps, error: ApiError, exchange: DirectExchange): Promise<void> {
  const text = await readMessage(exchange);
  const { refuseCall } = await load();
  const { message, headers, statusCode: status } = error;
  const retryAt = new Date(Date.now() + Number(headers['retry-after'] ?? 1) * 1000);
  const refused = refuseCall(text, { name: error.name, message, status, retryAt });
  if (refused === undefined) throw error;
  const json = [COST_HEADER, '0', 'content-type', 'application/json', ...Object.entries(headers).flat()];
  sendWhole(exchange, 200, [...json, ...NOT_KEPT], JSON.stringify(refused));
}

/** The base of sources; they are paths where it is not known. */
function baseOf({ publicUrl }: McpDeps, { protocol, host }: DirectExchange['client']): string {
  if (publicUrl !== undefined) return publicUrl.replace(/\/$/, '');
  return HOST.test(host) ? `${protocol}://${host}` : '';
}

/** Many agents can send nothing else. */
function bearerOf({ authorization = '' }: IncomingHttpHeaders): string | undefined {
  return /^bearer ([^ ]+)$/i.exec(authorization)?.[1];
}
