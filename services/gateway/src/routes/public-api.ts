import { forbidden } from '@hindsight/kernel/errors.ts';
import { readBody } from '@hindsight/http/body.ts';
import { declaredBytes } from '../domain/bulk-body.ts';
import { CORS_HEADERS } from '../domain/cors.ts';
import { readCredentials } from '../domain/credentials.ts';
import { COST_HEADER, requestHeaders } from '../domain/headers.ts';
import { endpointOf, PUBLIC_ROUTES, type PublicRoute } from '../domain/route-table.ts';
import { admit } from '../steps/admit.ts';
import { identify, identifyAgain, type Identification } from '../steps/authorize.ts';
import { forward, type Answer } from '../upstreams/forward.ts';
import { settle } from '../steps/settle.ts';
import type { RememberedAnswer } from '../upstreams/final-answers.ts';
import type { DirectExchange, DirectRoute } from '../upstreams/direct-routes.ts';
import { entrantOf, unitsOf, type Asked, type PassDeps } from './asked.ts';
import { passEndless } from './endless.ts';
import { passStream } from './stream.ts';

export interface PublicApiDeps extends PassDeps {
  readonly authentication: Identification;
  /** Requests that write and are under way: they take place, and count, also when their client has left. */
  readonly writesUnderWay: Set<Promise<void>>;
}

/** The public API: every route of the table, each request through the gateway's steps. */
export function publicApi(deps: PublicApiDeps): DirectRoute[] {
  const headers = Object.entries(CORS_HEADERS).flat();
  return PUBLIC_ROUTES.map((route) => {
    const endpoint = endpointOf(route);
    const methods = route.method === 'GET' ? (['GET', 'HEAD'] as const) : ([route.method] as const);
    const underWay = underWayOf(deps, route);
    return {
      path: route.path,
      methods,
      headers,
      handle(exchange) {
        const passed = pass(deps, route, endpoint, exchange);
        if (underWay !== undefined) {
          underWay.add(passed);
          const ended = (): void => void underWay.delete(passed);
          passed.then(ended, ended);
        }
        return passed;
      },
    };
  });
}

/** What is waited for when the gateway stops. */
function underWayOf(
  deps: PublicApiDeps,
  { writes, bulk, endless }: PublicRoute,
): Set<Promise<void>> | undefined {
  if (writes) return deps.writesUnderWay;
  if (endless) return deps.endless.underWay;
  return bulk?.streams ? deps.streams.underWay : undefined;
}

/** authenticate → authorize → admit → forward → settle */
async function pass(
  deps: PublicApiDeps,
  route: PublicRoute,
  endpoint: string,
  exchange: DirectExchange,
): Promise<void> {
  const { request, client, headers } = exchange;
  const { key, url } = readCredentials(request.url ?? '/', request.headers['x-api-key']);
  const { address } = client;
  const { origin } = request.headers;
  const { scope = 'read' } = route;
  const purpose = { scope, address, origin };
  const project = await identify(deps.authentication, key, purpose);
  try {
    // Its key is public, and what is written reaches every consumer.
    if (route.writes && project.demo)
      throw forbidden('demo_read_only', 'The demo key may only read; send orders with a key of your own.');
    const bodyBytes = route.bulk === undefined ? 0 : declaredBytes(request.headers, route.bulk.maxBytes);
    const asked: Asked = {
      ...{ route, endpoint, project, url, bodyBytes },
      identifyAgain: () => identifyAgain(deps.authentication, key ?? '', purpose),
    };
    await passOf(route)(deps, asked, exchange);
  } catch (error) {
    // A refusal costs nothing; a stream that was cut off names its cost itself.
    if (!headers.includes(COST_HEADER)) headers.push(COST_HEADER, '0');
    throw error;
  }
}

function passOf({ bulk, endless }: PublicRoute): typeof passWhole {
  if (endless) return passEndless;
  return bulk?.streams ? passStream : passWhole;
}

async function passWhole(deps: PassDeps, asked: Asked, exchange: DirectExchange): Promise<void> {
  const { request, response, id: requestId, client, headers, bodyLimit } = exchange;
  const { route, endpoint, project, url } = asked;
  const { method, service, writes = false, bulk } = route;
  // Only now is anything of a stranger's body kept; services read it, here it is taken as it is.
  const body = method === 'GET' ? null : await readBody(request, bulk?.maxBytes ?? bodyLimit);
  const most = unitsOf(asked);
  const { admission, status } = await admit(deps, project, entrantOf(exchange), most);
  const { id: projectId, plan } = project;
  const askedFor = { method: request.method, url, headers: request.headers, plan };
  const signTag = (tag: string): string | undefined => deps.tags.sign(url, tag);
  let answer: Answer | RememberedAnswer | undefined;
  let cost = 0;
  try {
    answer = deps.finals.find(askedFor, response);
    if (answer === undefined) {
      const withBody = body !== null;
      const knownTags = deps.tags.known(url, request.headers['if-none-match']);
      const forwarding = { requestId, projectId, plan, client, knownTags, withBody };
      const sent = requestHeaders(request.headers, forwarding);
      const forwarded = { method: request.method ?? method, path: url, headers: sent, body };
      const timeoutMs = deps.upstreamTimeoutMs;
      answer = await forward(deps.upstreams[service], forwarded, { response, writes, timeoutMs });
    }
    if (answer === undefined) return;
    cost = await settle(deps, admission, { projectId, key: project.key.id, endpoint }, answer);
  } finally {
    if (answer === undefined) deps.quota.done(admission, 0);
    if (most > 1 && project.demo) deps.demoShare.release(client.address, most - Math.max(cost, 1));
  }
  status.note(admission, cost);
  const own = [...headers, ...status.rawHeaders(), COST_HEADER, String(cost)];
  const whole = 'whole' in answer ? answer.whole : undefined;
  if (whole) deps.finals.keep(askedFor, whole, signTag);
  answer.send(own, signTag);
}
