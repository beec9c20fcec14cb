import { unavailable } from '@hindsight/kernel/errors.ts';
import { headersFor, type OtherService } from './other-service.ts';
import type { HttpServer } from './types.ts';

/** A service in the same process; it need not listen. An answer is gathered whole. */
export function inProcessService(app: () => HttpServer): OtherService {
  return {
    async ask(request) {
      const { method, path: url, body, signal } = request;
      const payload = body === undefined ? {} : { payload: body.text };
      const answer = await app()
        .inject({ method, url, headers: headersFor(request), signal, ...payload })
        .catch((cause: unknown) => {
          signal.throwIfAborted();
          throw unavailable('service_unavailable', 'The answer broke off.', { cause });
        });
      signal.throwIfAborted();
      const retryAfter = answer.headers['retry-after'];
      return {
        status: answer.statusCode,
        retryAfter: retryAfter === undefined ? undefined : String(retryAfter),
        body: only(answer.payload),
      };
    },
  };
}

async function* only(text: string): AsyncGenerator<string> {
  yield text;
}
