/** Requests with the key, a timeout, retries and typed errors. */
import { PATHS, type OperationId } from './paths.ts';
import { ApiError, ConnectionError, HindsightError, TimeoutError, toApiError } from './errors.ts';

/** Settings of a client. */
export interface ClientOptions {
  /** The project's API key. Sent as `x-api-key`, never in a URL. */
  readonly apiKey: string;
  /** Base URL of the API. Default: http://127.0.0.1:8080 */
  readonly url?: string;
  /** The network of all questions. Default: eth-mainnet */
  readonly network?: string;
  /** Repetitions of a failed request. Default: 4 */
  readonly retries?: number;
  /** Milliseconds to wait for an answer, or for the next part of a stream. Default: 30,000 */
  readonly timeoutMs?: number;
  /**
   * The longest wait before a retry; if the API demands more, `RateLimited` is thrown at once. Default:
   * 60,000
   */
  readonly maxRetryWaitMs?: number;
  /** In place of the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch;
  /** Called before each attempt, and may add headers: a `traceparent`, for example. */
  readonly onRequest?: (attempt: Attempt) => void;
  /** Called after each attempt. */
  readonly onResponse?: (attempt: Attempt, outcome: Outcome) => void;
}

/** One try of a request. */
export interface Attempt {
  readonly method: 'GET' | 'POST';
  /** Without the key. */
  readonly url: string;
  readonly headers: Record<string, string>;
  /** From 1. */
  readonly attempt: number;
}

/** Outcome of an attempt. */
export interface Outcome {
  /** 0 where there was no answer. */
  readonly status: number;
  readonly ms: number;
  /** Units of the month's limit that it cost, if the API named them. */
  readonly units?: number;
  readonly error?: unknown;
}

/** A request. */
export interface Question {
  readonly method?: 'GET' | 'POST';
  /** From the root: `/v1/…`. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | readonly string[] | undefined>>;
  readonly body?: { readonly type: string; readonly text: string };
  readonly accept?: string;
  /** Called with the headers of a good answer. */
  readonly onHeaders?: (headers: Headers) => void;
  readonly signal?: AbortSignal | undefined;
}

const RETRIED = new Set([408, 425, 429, 500, 502, 503, 504]);
const FIRST_PAUSE_MS = 250;
const MAX_PAUSE_MS = 8_000;

/** Sends requests. */
export class Transport {
  readonly network: string;
  readonly retries: number;
  /** The native coins that are known, by network. */
  readonly coins: Map<string, { readonly symbol: string; readonly decimals: number }>;
  readonly #options: ClientOptions;
  readonly #url: string;
  readonly #timeoutMs: number;

  /** @param coins shared with the same client of another network */
  constructor(options: ClientOptions, coins: Transport['coins']) {
    this.coins = coins;
    if (!options.apiKey) throw new TypeError('apiKey is missing');
    this.#options = options;
    this.#url = (options.url ?? 'http://127.0.0.1:8080').replace(/\/$/, '');
    this.#timeoutMs = options.timeoutMs ?? 30_000;
    this.network = options.network ?? 'eth-mainnet';
    this.retries = options.retries ?? 4;
  }

  /** The path of an operation, about the client's network where it is about one. */
  pathTo(id: OperationId): string {
    return PATHS[id].replace('{network}', this.network);
  }

  /** Asks for a JSON answer. @throws {HindsightError} */
  async json<T>(question: Question): Promise<T> {
    return this.retried(question.signal, async (attempt) => {
      const timeout = new Timeout(this.#url, this.#timeoutMs, question.signal);
      try {
        const response = await this.send(question, attempt, timeout);
        return (await response.json()) as T;
      } catch (error) {
        throw timeout.explain(error);
      } finally {
        timeout.end();
      }
    });
  }

  /** Yields the bytes of an answer; the timeout is for each part. One attempt. @throws {HindsightError} */
  async *stream(question: Question, attempt: number): AsyncGenerator<Uint8Array, void> {
    const timeout = new Timeout(this.#url, this.#timeoutMs, question.signal);
    try {
      const { body } = await this.send(question, attempt, timeout);
      const reader = body?.getReader();
      for (;;) {
        const part = await reader?.read();
        if (!part || part.done) return;
        timeout.extend();
        yield part.value;
      }
    } catch (error) {
      throw timeout.explain(error);
    } finally {
      timeout.end();
    }
  }

  /** Repeats work while a retry may mend its error. @param work receives the attempt's number, from 1 */
  async retried<T>(signal: AbortSignal | undefined, work: (attempt: number) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await work(attempt);
      } catch (error) {
        await this.pauseBeforeRetry(error, attempt, signal);
      }
    }
  }

  /** Waits before the next attempt. @throws the error if there is none */
  async pauseBeforeRetry(error: unknown, attempt: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) throw signal.reason;
    if (attempt > this.retries || !isTransient(error)) throw error;
    const doubled = Math.min(FIRST_PAUSE_MS * 2 ** (attempt - 1), MAX_PAUSE_MS);
    const retryAtMs = error instanceof ApiError ? error.retryAtMs : undefined;
    const asked = (retryAtMs ?? 0) - Date.now();
    // Half of the pause is random, so that many clients do not return at the same moment.
    const ms = Math.max(asked, doubled * (0.5 + Math.random() / 2));
    if (ms > (this.#options.maxRetryWaitMs ?? 60_000)) throw error;
    await pause(ms, signal);
  }

  /** One attempt; resolves with the head of a good answer. */
  async send(question: Question, number: number, timeout: Timeout): Promise<Response> {
    const { onRequest, onResponse, fetch = globalThis.fetch } = this.#options;
    const { method = 'GET', body, accept = 'application/json' } = question;
    const headers: Record<string, string> = { accept };
    if (body) headers['content-type'] = body.type;
    const attempt: Attempt = { method, url: this.#url + pathOf(question), headers, attempt: number };
    onRequest?.(attempt);
    const begun = performance.now();
    const ended = (status: number, more: Partial<Outcome>): void =>
      onResponse?.(attempt, { status, ms: performance.now() - begun, ...more });
    try {
      const response = await fetch(attempt.url, {
        method,
        headers: { ...headers, 'x-api-key': this.#options.apiKey },
        body: body?.text ?? null,
        signal: timeout.signal,
        redirect: 'error',
      });
      const units = Number(response.headers.get('x-units') ?? NaN);
      const error = response.ok ? undefined : await errorOf(response);
      ended(response.status, { ...(Number.isNaN(units) ? {} : { units }), ...(error ? { error } : {}) });
      if (error) throw error;
      question.onHeaders?.(response.headers);
      return response;
    } catch (error) {
      if (error instanceof HindsightError) throw error;
      ended(0, { error });
      throw error;
    }
  }
}

/** Aborts a request when its caller does, or when nothing has arrived for a while. */
class Timeout {
  readonly #controller = new AbortController();
  readonly #url: string;
  readonly #ms: number;
  readonly #outer: AbortSignal | undefined;
  readonly #onAbort = (): void => this.#controller.abort(this.#outer?.reason);
  #timer: ReturnType<typeof setTimeout> | undefined;
  #late = false;

  constructor(url: string, ms: number, outer: AbortSignal | undefined) {
    this.#url = url;
    this.#ms = ms;
    this.#outer = outer;
    if (outer?.aborted) this.#onAbort();
    outer?.addEventListener('abort', this.#onAbort);
    this.extend();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  extend(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#late = true;
      this.#controller.abort();
    }, this.#ms);
  }

  /** The client's error for one of `fetch`. */
  explain(error: unknown): unknown {
    if (error instanceof HindsightError) return error;
    if (this.#outer?.aborted) return this.#outer.reason;
    if (this.#late) return new TimeoutError(`no answer within ${this.#ms} ms`, { cause: error });
    return new ConnectionError(`the connection to ${this.#url} failed`, { cause: error });
  }

  /** Ends the request too, where it still runs. */
  end(): void {
    clearTimeout(this.#timer);
    this.#outer?.removeEventListener('abort', this.#onAbort);
    this.#controller.abort();
  }
}

function pathOf({ path, query = {} }: Question): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue;
    for (const each of Array.isArray(value) ? value : [value]) params.append(name, String(each));
  }
  const text = params.toString();
  return text === '' ? path : `${path}?${text}`;
}

async function errorOf(response: Response): Promise<ApiError> {
  const text = await response.text();
  const { message, code } = parse(text);
  return toApiError({
    status: response.status,
    message: message ?? `HTTP ${response.status}`,
    code,
    requestId: response.headers.get('x-request-id') ?? undefined,
    retryAtMs: retryAt(response.headers.get('retry-after')),
  });
}

function parse(text: string): { message?: string; code?: string } {
  try {
    return (JSON.parse(text) ?? {}) as { message?: string; code?: string };
  } catch {
    return {};
  }
}

/** Unix milliseconds of a `Retry-After`: seconds, or a date (RFC 9110, 10.2.3). */
function retryAt(header: string | null): number | undefined {
  if (header === null) return undefined;
  const at = /^\d+$/.test(header) ? Date.now() + Number(header) * 1000 : Date.parse(header);
  return Number.isNaN(at) ? undefined : at;
}

function isTransient(error: unknown): boolean {
  if (error instanceof ConnectionError || error instanceof TimeoutError) return true;
  return error instanceof ApiError && RETRIED.has(error.status);
}

function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- the caller's own reason
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal?.addEventListener('abort', stop, { once: true });
  });
}
