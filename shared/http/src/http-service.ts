import { unavailable } from '@hindsight/kernel/errors.ts';
import { Pool } from '@hindsight/kernel/undici.ts';
import { headersFor, type OtherService } from './other-service.ts';

/** A service at an address. @param name as errors name it @returns the service, and what closes its connections */
export function connectService(name: string, origin: string): OtherService & { close(): Promise<void> } {
  const pool = new Pool(origin);
  return {
    async ask(request) {
      const { method, path, body, signal } = request;
      const headers = headersFor(request);
      const fail = (cause: unknown): never => {
        signal.throwIfAborted();
        const message = `The ${name} service cannot be reached at the moment.`;
        throw unavailable('service_unavailable', message, { cause });
      };
      const partsOf = async function* (answer: AsyncIterable<string>): AsyncGenerator<string> {
        try {
          yield* answer;
        } catch (cause) {
          fail(cause);
        }
      };
      try {
        const answer = await pool.request({ method, path, headers, body: body?.text ?? null, signal });
        const retryAfter = answer.headers['retry-after'];
        answer.body.setEncoding('utf8');
        return {
          status: answer.statusCode,
          retryAfter: typeof retryAfter === 'string' ? retryAfter : undefined,
          body: partsOf(answer.body as AsyncIterable<string>),
        };
      } catch (cause) {
        return fail(cause);
      }
    },
    close: () => pool.close(),
  };
}
