import { injectTrace } from '@hindsight/kernel/telemetry/trace-context.ts';
import { request as httpRequest, type IncomingMessage, type Server } from 'node:http';
import { duplexPair, Readable } from 'node:stream';

/** The base of requests to this server. Its host is never used: they do not leave the process. */
export const OWN_URL = 'http://gateway';

/** The caller behind a request to this server: the facts that a key may be bound to. */
export interface Caller {
  readonly address: string;
  /** The `Origin` header of a web page's request. */
  readonly origin: string | undefined;
  /** True once, for the request whose token of the burst limit is already taken. */
  readonly passBurstToken: () => boolean;
}

/** Only connections within the process have it. */
interface OwnConnection {
  readonly hasBurstToken?: boolean;
}

/** True if the agent's message has taken the request's token of the burst limit. */
export function hasBurstToken({ socket }: IncomingMessage): boolean {
  return (socket as OwnConnection).hasBurstToken === true;
}

/**
 * A `fetch` to this very server, over a connection within the process: its requests take the way of a
 * client's, from key to count.
 */
export function fetchFromOwn(
  server: () => Server,
  { address, origin, passBurstToken }: Caller,
): typeof globalThis.fetch {
  return (url, init = {}) =>
    new Promise((resolve, reject) => {
      const [ours, theirs] = duplexPair();
      const { method = 'GET', signal } = init;
      const body = Buffer.from((init.body as string | null) ?? '');
      // Names and values in turn.
      const headers = ['host', new URL(url).host, 'connection', 'close'];
      headers.push(...Object.entries(init.headers as Record<string, string>).flat());
      if (body.length > 0) headers.push('content-length', String(body.length));
      if (origin !== undefined) headers.push('origin', origin);
      injectTrace(headers);
      const asked = httpRequest(url as string, {
        method,
        headers,
        createConnection: () => ours,
        ...(signal ? { signal } : {}),
      });
      asked.once('response', (answer) => {
        const { statusCode: status = 0, headers: named } = answer;
        resolve(
          new Response(Readable.toWeb(answer) as ReadableStream, {
            status,
            headers: named as Record<string, string>,
          }),
        );
      });
      asked.once('error', reject);
      const connection = { remoteAddress: address, hasBurstToken: passBurstToken() };
      server().emit('connection', Object.assign(theirs, connection satisfies OwnConnection & object));
      asked.end(body);
    });
}
