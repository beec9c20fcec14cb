/** For tests: a client that sends a body bit by bit while it reads the answer. */
import { Agent, request as httpRequest, type IncomingMessage } from 'node:http';
import { drained } from './echo.ts';

/** Result of a snapshot. */
export interface Snapshot {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly trailers: IncomingMessage['trailers'];
  readonly body: string;
  /** The answer ended as an answer does. */
  readonly complete: boolean;
}

interface Sending {
  readonly url: string;
  readonly key: string;
  /** The length that is declared. */
  readonly bytes: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly tokens?: string;
  /** Called with each part of the answer, and with all so far. */
  readonly onData?: (part: string, whole: string) => void;
}

/** A request under way. */
export interface SentSnapshot {
  /** Resolves when there is room for more. */
  send(text: string): Promise<void>;
  end(): void;
  /** Closes the connection. */
  leave(): void;
  /** @throws where no answer has begun */
  readonly answer: Promise<Snapshot>;
}

/** Begins a snapshot. */
export function beginSnapshot({
  url,
  key,
  bytes,
  headers,
  tokens = 'native',
  onData,
}: Sending): SentSnapshot {
  const request = httpRequest(`${url}/v1/eth-mainnet/balance/snapshot?token_address=${tokens}`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-length': bytes, 'content-type': 'text/plain', ...headers },
    // A connection that is closed with the answer may be reset while the body is still being sent.
    agent: new Agent({ keepAlive: true, timeout: 1_000 }),
  });
  const answer = new Promise<Snapshot>((resolve, reject) => {
    request.on('error', reject);
    request.on('response', (response) => {
      let body = '';
      response.setEncoding('utf8');
      response.on('data', (part: string) => {
        body += part;
        onData?.(part, body);
      });
      response.on('error', () => undefined);
      response.on('close', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          trailers: response.trailers,
          body,
          complete: response.complete,
        }),
      );
    });
  });
  answer.catch(() => undefined);
  return {
    async send(text) {
      if (!request.write(text)) await drained(request);
    },
    end: () => void request.end(),
    leave: () => void request.destroy(),
    answer,
  };
}

/** Sends a whole body and reads the whole answer. */
export function takeSnapshot(sending: Omit<Sending, 'bytes'>, body: string): Promise<Snapshot> {
  const snapshot = beginSnapshot({ ...sending, bytes: Buffer.byteLength(body) });
  void snapshot.send(body).then(() => snapshot.end());
  return snapshot.answer;
}
