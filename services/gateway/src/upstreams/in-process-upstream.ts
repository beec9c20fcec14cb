import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { duplexPair, pipeline, Readable } from 'node:stream';
import { injectTrace } from '@hindsight/kernel/telemetry/trace-context.ts';
import { dispatchWhole } from './gather.ts';
import { createLimitedUpstream, USUAL_LIMITS } from './limited-upstream.ts';
import { createUpstreamsByNetwork } from './upstreams-by-network.ts';
import type { HttpServer } from '@hindsight/http/types.ts';
import type { Exchange, Upstream, UpstreamRequest, UpstreamSink } from './upstream.ts';

/** Reaches a service in the same process, as the standalone does. The server need not listen. */
export function createInProcessUpstream(app: HttpServer, limits = USUAL_LIMITS): Upstream {
  const unlimited: Upstream = {
    dispatch(request, sink) {
      injectTrace(request.headers);
      const { body, endless } = request;
      if (typeof body === 'function') return stream(app, request, body, sink);
      return endless ? stream(app, request, () => Readable.from([]), sink) : inject(app, request, body, sink);
    },
    close: async () => undefined,
  };
  return createLimitedUpstream(unlimited, limits);
}

/** The same for a service of several networks, each with limits of its own. @param networks their names */
export function createInProcessUpstreams(app: HttpServer, networks: readonly string[]): Upstream {
  const others = createInProcessUpstream(app);
  if (networks.length < 2) return others;
  const own = networks.map((name): [string, Upstream] => [name, createInProcessUpstream(app)]);
  // Of any other the service says that it is not served.
  return createUpstreamsByNetwork({ networks: new Map(own), others });
}

function inject(
  app: HttpServer,
  { method, path: url, headers }: UpstreamRequest,
  body: Buffer | null,
  sink: UpstreamSink,
): Exchange {
  return dispatchWhole(sink, async (signal) => {
    const payload = body ? { payload: body } : {};
    const asked = { method: method as 'GET', url, headers: byName(headers), signal, ...payload };
    const { statusCode, headers: given, rawPayload } = await app.inject(asked);
    return { statusCode, headers: given as IncomingHttpHeaders, body: rawPayload };
  });
}

/**
 * Over a connection within the process, so that both directions flow at the pace of their readers: what is injected is
 * gathered whole.
 */
function stream(
  app: HttpServer,
  { method, path, headers }: UpstreamRequest,
  open: () => Readable,
  sink: UpstreamSink,
): Exchange {
  const [ours, theirs] = duplexPair();
  const asked = httpRequest({
    method,
    path,
    headers: ['host', 'localhost', ...headers],
    createConnection: () => ours,
  });
  let isOver = false;
  const close = (): void => {
    ours.destroy();
    theirs.destroy();
  };
  const fail = (error: Error): void => {
    if (isOver) return;
    isOver = true;
    sink.fail(error);
    // The service sees its client leave.
    close();
  };
  let resume = (): void => undefined;
  asked.on('response', (answer) => {
    resume = () => void answer.resume();
    answer.on('data', (chunk: Buffer) => {
      if (!isOver && !sink.data(chunk)) answer.pause();
    });
    answer.on('end', () => {
      if (isOver || !answer.complete) return;
      isOver = true;
      sink.end();
      setImmediate(close);
    });
    answer.on('error', fail);
    answer.on('close', () => fail(new Error('the answer is not complete')));
    sink.head(answer.statusCode ?? 0, answer.headers);
  });
  asked.on('error', fail);
  asked.on('close', () => fail(new Error('the connection was closed')));
  app.ready().then(() => {
    if (isOver) return;
    app.server.emit('connection', theirs);
    asked.flushHeaders();
    pipeline(open(), asked, (error) => {
      if (error) fail(error);
    });
  }, fail);
  return { resume: () => resume(), cancel: fail };
}

function byName(headers: readonly string[]): Record<string, string | string[]> {
  const named: Record<string, string | string[]> = {};
  for (let at = 0; at < headers.length; at += 2) {
    const [name = '', value = ''] = [headers[at], headers[at + 1]];
    const before = named[name];
    named[name] = before === undefined ? value : [...[before].flat(), value];
  }
  return named;
}
