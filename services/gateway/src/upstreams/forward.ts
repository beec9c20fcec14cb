import { ApiError, ClientLeft, gatewayTimeout, unavailable } from '@hindsight/kernel/errors.ts';
import { UNITS_HEADER } from '@hindsight/http/units.ts';
import {
  Overloaded,
  type Exchange,
  type Upstream,
  type UpstreamRequest,
  type UpstreamSink,
} from './upstream.ts';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { answerHeaders } from '../domain/headers.ts';

/** An answer is taken up to this size while it is being settled; a longer one waits at its service. */
const HELD_BYTES = 64 * 1024;

/** The caller that a request is forwarded for. */
export interface Asking {
  readonly response: ServerResponse;
  readonly writes: boolean;
  /** Milliseconds that the service has to begin its answer, including any wait for its turn. */
  readonly timeoutMs: number;
  /** Keeps what its client has not read yet, so that the service need not wait for it; without it the service does. */
  readonly keepUnread?: (() => void) | undefined;
  /** The body of a stream; for one, the service's limit is on its pauses, from its beginning to its end. */
  readonly stream?: StreamedBody | undefined;
}

interface StreamedBody {
  /** It is the client that is waited for. */
  readonly isWaiting: boolean;
  /** True if some of it has passed since the last call. */
  hasMoved(): boolean;
}

/**
 * Forwards the request. Resolves when the answer begins, or to undefined if the client has left before. That
 * cancels a request that reads. One that writes is never cancelled once sent: it takes place anyway, so its
 * answer is awaited and settled.
 * @throws {ApiError} 503 or 504 if the service gave no answer
 */
export function forward(
  upstream: Upstream,
  request: UpstreamRequest,
  asking: Asking,
): Promise<Answer | undefined> {
  // `close` has already fired: nothing would end the exchange, and the admitted unit would stay held.
  if (asking.response.destroyed) return Promise.resolve(undefined);
  return new Answer(asking).follow((answer) => upstream.dispatch(request, answer));
}

/** A short answer that has come to its end. */
export interface WholeAnswer {
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly units: number | undefined;
}

/**
 * The answer of a service: held from its beginning until it is sent to the client, then passed on chunk by
 * chunk.
 */
export class Answer implements UpstreamSink {
  /** 0 until it begins. */
  statusCode = 0;
  readonly #asking: Asking;
  readonly #response: ServerResponse;
  readonly #begun = Promise.withResolvers<Answer | undefined>();
  #exchange: Exchange | undefined;
  #late: NodeJS.Timeout | undefined;
  #incoming: Parameters<UpstreamSink['head']>[1] = {};
  #progress: 'running' | 'complete' | 'broken' = 'running';
  /** Chunks received before it is sent; undefined from then on. */
  #held: Buffer[] | undefined = [];
  #heldBytes = 0;
  #discarded = false;
  #clientLeft = false;
  /** Called at the end of the answer with its trailers, if it declares some. */
  trailers: (() => Record<string, string>) | undefined;

  constructor(asking: Asking) {
    this.#asking = asking;
    this.#response = asking.response;
  }

  follow(dispatch: (answer: Answer) => Exchange): Promise<Answer | undefined> {
    this.#exchange = dispatch(this);
    this.#late = setTimeout(() => this.#expire(), this.#asking.timeoutMs);
    this.#response.once('close', () => this.#closed());
    return this.#begun.promise;
  }

  /** Cost reported by the service. */
  get units(): number | undefined {
    const named = this.#incoming[UNITS_HEADER];
    return typeof named === 'string' && /^\d{1,9}$/.test(named) ? Number(named) : undefined;
  }

  /** All of a short 200 that is not sent yet; undefined for any other answer, and while more may come. */
  get whole(): WholeAnswer | undefined {
    const [body, ...more] = this.#held ?? [];
    if (this.statusCode !== 200 || this.#progress !== 'complete' || !body || more.length > 0)
      return undefined;
    return { headers: this.#incoming, body, units: this.units };
  }

  /** Its length is not known before its end. */
  get isChunked(): boolean {
    return this.#incoming['content-length'] === undefined;
  }

  /** Its client has left before its end. */
  get clientLeft(): boolean {
    return this.#clientLeft;
  }

  /**
   * Sends it: the gateway's own headers, names and values in turn, then the service's.
   * @param signTag turns a service's entity tag into the one for clients
   */
  send(headers: readonly string[], signTag: (tag: string) => string | undefined): void {
    if (this.#response.destroyed) {
      this.discard(new ClientLeft());
      return;
    }
    const held = this.#held ?? [];
    this.#held = undefined;
    this.#response.writeHead(this.statusCode, answerHeaders(headers, this.#toSend(), signTag));
    if (this.#progress === 'complete' && held.length < 2) {
      this.#end(held[0]);
      return;
    }
    let room = true;
    for (const chunk of held) room = this.#response.write(chunk);
    if (this.#progress === 'complete') this.#end();
    else if (this.#progress === 'broken') this.#response.destroy();
    else if (this.#takesMore(room)) this.#exchange?.resume();
  }

  /** Nothing more of it goes out. */
  discard(reason: Error): void {
    clearTimeout(this.#late);
    this.#discarded = true;
    this.#exchange?.cancel(reason);
  }

  head(statusCode: number, incoming: Parameters<UpstreamSink['head']>[1]): void {
    if (this.#discarded) return;
    if (this.#asking.stream === undefined) clearTimeout(this.#late);
    else this.#late?.refresh();
    this.statusCode = statusCode;
    this.#incoming = incoming;
    this.#begun.resolve(this);
  }

  data(chunk: Buffer): boolean {
    if (this.#asking.stream !== undefined) this.#late?.refresh();
    if (this.#held === undefined) return this.#takesMore(this.#response.write(chunk));
    this.#held.push(chunk);
    this.#heldBytes += chunk.length;
    return this.#heldBytes < HELD_BYTES;
  }

  end(): void {
    clearTimeout(this.#late);
    this.#progress = 'complete';
    if (this.#held === undefined) this.#end();
  }

  fail(error: Error): void {
    if (this.#discarded) return;
    clearTimeout(this.#late);
    this.#progress = 'broken';
    if (this.statusCode === 0) this.#begun.reject(unreachable(error));
    // Half an answer cannot be taken back: ending the connection is the only way to say that it is not whole.
    else if (this.#held === undefined) this.#response.destroy();
  }

  /** Its headers. Of an answer whose body is left out, a length of 0 is that of what was sent, not of the body (RFC 9110, 8.6). */
  #toSend(): Parameters<UpstreamSink['head']>[1] {
    if (this.statusCode !== 304 && this.#response.req.method !== 'HEAD') return this.#incoming;
    const { 'content-length': length, ...others } = this.#incoming;
    return length === '0' ? others : this.#incoming;
  }

  #closed(): void {
    if (this.#response.writableFinished || (this.#asking.writes && this.statusCode === 0)) return;
    // An answer that this side has ended closes too.
    this.#clientLeft ||= !this.#discarded && this.#progress !== 'broken';
    this.discard(new ClientLeft());
    this.#begun.resolve(undefined);
  }

  #end(last?: Buffer): void {
    const trailers = this.trailers?.();
    if (trailers !== undefined) this.#response.addTrailers(trailers);
    this.#response.end(last);
    if (this.#response.writableLength > 0) this.#asking.keepUnread?.();
  }

  #expire(): void {
    const { stream } = this.#asking;
    // The server ends an answer that its client does not read.
    if (stream !== undefined && (stream.hasMoved() || this.#response.writableNeedDrain)) {
      this.#late?.refresh();
      return;
    }
    const isClients = stream?.isWaiting === true;
    this.#clientLeft = isClients;
    this.discard(new Error(isClients ? 'the client sent nothing' : 'the service did not answer in time'));
    if (this.statusCode > 0) this.#response.destroy();
    else if (isClients)
      this.#begun.reject(new ApiError('request_timeout', 'The request did not arrive in time.'));
    else this.#begun.reject(gatewayTimeout('deadline_exceeded', 'The service did not answer in time.'));
  }

  /** @param room its client takes more at once @returns false if it is resumed once the client does */
  #takesMore(room: boolean): boolean {
    if (room) return true;
    const { keepUnread } = this.#asking;
    if (keepUnread) keepUnread();
    else this.#response.once('drain', () => this.#exchange?.resume());
    return keepUnread !== undefined;
  }
}

/** 503 for a service that gave no answer. @param error that its upstream failed with */
export function unreachable(error: Error): ApiError {
  return error instanceof Overloaded
    ? unavailable('overloaded', 'Too many requests are waiting for this service.', { cause: error })
    : unavailable('service_unavailable', 'The service cannot be reached at the moment.', { cause: error });
}
