/** A request whose body and answer pass at the same time, and whose cost is known only at its end. */
import type { IncomingMessage } from 'node:http';
import { ApiError } from '@hindsight/kernel/errors.ts';
import { counts } from '../usage/counts.ts';
import { COST_HEADER, requestHeaders } from '../domain/headers.ts';
import { tokensOf } from '../domain/units.ts';
import type { RateLimitStatus } from '../limits/rate-limit-status.ts';
import { admit } from '../steps/admit.ts';
import { forward, type Answer } from '../upstreams/forward.ts';
import type { Admission } from '../limits/quota/project-quota.ts';
import { notRecorded } from '../steps/settle.ts';
import { StreamMeter } from '../steps/stream-meter.ts';
import type { DirectExchange } from '../upstreams/direct-routes.ts';
import { meterUpstream } from '../upstreams/metered-upstream.ts';
import { PassingBody } from '../upstreams/passing-body.ts';
import { entrantOf, queryOf, unitsOf, type Asked, type PassDeps } from './asked.ts';

/** A client has this long to send the rest of a body that is not needed any more; it is dropped. */
const REST_WITHIN_MS = 15_000;

/** A stream under way. */
interface Stream {
  readonly meter: StreamMeter;
  readonly body: PassingBody;
  readonly status: RateLimitStatus;
  readonly admission: Admission;
}

/** admit → forward, and settle in portions; resolves at the end of the answer. */
export async function passStream(deps: PassDeps, asked: Asked, exchange: DirectExchange): Promise<void> {
  const { request } = exchange;
  try {
    await passMetered(deps, asked, exchange);
  } finally {
    if (!request.complete) endUnread(request);
  }
}

async function passMetered(deps: PassDeps, asked: Asked, exchange: DirectExchange): Promise<void> {
  const { project, endpoint, url } = asked;
  const { request, client, headers } = exchange;
  const { slots } = deps.streams;
  const most = unitsOf(asked);
  const { admission, status, leave } = await admit(deps, project, entrantOf(exchange), most, slots);
  const shape = { tokens: tokensOf(queryOf(url)), csv: isCsv(request) };
  const meter = new StreamMeter(
    deps,
    admission,
    { projectId: project.id, key: project.key.id, endpoint },
    shape,
  );
  const body = new PassingBody(request, meter);
  let isClients = false;
  try {
    isClients = await stream(deps, asked, exchange, { meter, body, status, admission });
  } catch (error) {
    isClients = error instanceof ApiError && error.statusCode === 408;
    throw error;
  } finally {
    body.stop();
    // What was worked on is paid for where it is the client that has ended it.
    if (isClients) await meter.record().catch(() => undefined);
    await meter.close();
    leave();
    if (project.demo) deps.demoShare.release(client.address, most - Math.max(meter.recorded, 1));
    headers.push(COST_HEADER, String(meter.recorded));
  }
}

/** @returns whether it has ended because of its client, or its key */
async function stream(
  deps: PassDeps,
  asked: Asked,
  exchange: DirectExchange,
  { meter, body, status, admission }: Stream,
): Promise<boolean> {
  const { route, project, url } = asked;
  const { request, response, id: requestId, client } = exchange;
  const { id: projectId, plan } = project;
  const { socket } = request;
  let isStopped = false;
  const closed = new Promise<void>((resolve) => response.once('close', resolve));
  const unwatch = deps.streams.open.enter({
    project,
    identifyAgain: asked.identifyAgain,
    progress: () => ({
      moved: socket.bytesRead + socket.bytesWritten,
      isWaitedFor: body.isWaiting || response.writableNeedDrain,
    }),
    end(why) {
      isStopped = why === 'stopped';
      response.destroy();
    },
  });
  try {
    const headers = requestHeaders(request.headers, { requestId, projectId, plan, client, withBody: true });
    const forwarded = { method: route.method, path: url, headers, body: () => body.open() };
    const upstream = meterUpstream(deps.upstreams[route.service], meter);
    const timeoutMs = deps.upstreamTimeoutMs;
    const answer = await forward(upstream, forwarded, { response, writes: false, timeoutMs, stream: body });
    if (answer === undefined) return !isStopped;
    await begin(answer, { meter, status, admission }, exchange);
    await closed;
    return answer.clientLeft && !isStopped;
  } finally {
    unwatch();
  }
}

/** Sends the head of the answer, once what the rows cost that have passed is on disk. */
async function begin(
  answer: Answer,
  { meter, status, admission }: Omit<Stream, 'body'>,
  { request, headers }: DirectExchange,
): Promise<void> {
  const { statusCode } = answer;
  const isRefused = statusCode >= 400;
  const isKnown = isRefused || meter.isComplete;
  try {
    // A refused stream costs what any answer does.
    if (counts(statusCode)) await (isRefused ? meter.recordRefusal(statusCode) : meter.record());
  } catch (error) {
    answer.discard(new Error('it could not be counted'));
    throw notRecorded(error);
  }
  // Until it is known, a stream may cost all that is reserved for it.
  status.note(admission, isKnown ? meter.recorded : admission.units);
  const own = [...headers, ...status.rawHeaders()];
  if (isKnown) {
    own.push(COST_HEADER, String(meter.recorded));
  } else if (answer.isChunked && request.httpVersionMinor > 0) {
    own.push('trailer', COST_HEADER);
    answer.trailers = () => ({ [COST_HEADER]: String(meter.recorded) });
  }
  // Nothing is kept of a stream, so it has no tag.
  answer.send(own, () => undefined);
}

function isCsv({ headers }: IncomingMessage): boolean {
  return /^text\/csv\s*(;|$)/i.test(headers['content-type'] ?? '');
}

/** Nothing waits for the rest of a body whose request is answered: the connection must not last as long as it likes. */
function endUnread(request: IncomingMessage): void {
  // A client that is still sending would be reset before it has read its answer.
  request.resume();
  const timer = setTimeout(() => request.socket.destroy(), REST_WITHIN_MS);
  timer.unref();
  request.once('close', () => clearTimeout(timer));
}
