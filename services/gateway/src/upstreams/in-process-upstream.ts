import type { IncomingHttpHeaders } from 'node:http';
import { injectTrace } from '@hindsight/kernel/telemetry/trace-context.ts';
import { createLimitedUpstream, USUAL_LIMITS } from './limited-upstream.ts';
import type { HttpServer } from '@hindsight/http/types.ts';
import type { Upstream, UpstreamRequest } from './upstream.ts';

/** Reaches a service in the same process, as the standalone does. The server need not listen. */
export function createInProcessUpstream(app: HttpServer, limits = USUAL_LIMITS): Upstream {
  const unlimited: Upstream = {
    dispatch(request, sink) {
      const abort = new AbortController();
      injectTrace(request.headers);
      ask(app, request, abort.signal)
        .then((response) => {
          // Its client left before the answer was complete.
          abort.signal.throwIfAborted();
          sink.head(response.statusCode, response.headers as IncomingHttpHeaders);
          sink.data(response.rawPayload);
          sink.end();
        })
        .catch((error: unknown) => sink.fail(error instanceof Error ? error : new Error(String(error))));
      return { resume: () => undefined, cancel: (reason) => abort.abort(reason) };
    },
    close: async () => undefined,
  };
  return createLimitedUpstream(unlimited, limits);
}

function ask(app: HttpServer, { method, path: url, headers, body }: UpstreamRequest, signal: AbortSignal) {
  const payload = body ? { payload: body } : {};
  return app.inject({ method: method as 'GET', url, headers: byName(headers), signal, ...payload });
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
