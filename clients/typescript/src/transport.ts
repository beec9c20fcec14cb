/** Requests with the key, a timeout, retries and typed errors. */
import { PATHS, type OperationId } from './paths.ts';
import { ApiError, ConnectionError, TimeoutError, toApiError } from './errors.ts';
import { parsed } from './ndjson.ts';

/** Settings of a client. */
export interface ClientOptions {
  /** The project's API key. Sent as `x-api-key`, never in a URL. */
  readonly apiKey: string;
  /** Base URL of the API. Default: http://127.0.0.1:8080 */
  readonly url?: string | undefined;
  /** The network of all questions. Default: eth-mainnet */
  readonly network?: string | undefined;
  /** Repetitions of a failed request. Default: 4 */
  readonly retries?: number | undefined;
  /**
   * Milliseconds to wait for an answer, or for the next part of a stream; for that of orders at least 30,000. Default: 30,000
   */
  readonly timeoutMs?: number | undefined;
  /**
   * The longest wait before a retry; if the API demands more, `RateLimited` is thrown at once. Default:
   * 60,000
   */
  readonly maxRetryWaitMs?: number | undefined;
  /** In place of the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** Called before each attempt, and may add headers: a `traceparent`, for example. */
  readonly onRequest?: ((attempt: Attempt) => void) | undefined;
  /** Called after each attempt. */
  readonly onResponse?: ((attempt: Attempt, outcome: Outcome) => void) | undefined;
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
  readonly method?: 'GET' | 'POST' | undefined;
  /** From the root: `/v1/…`. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | readonly string[] | undefined>>;
  readonly body?: { readonly type: string; readonly text: string } | undefined;
  readonly accept?: string | undefined;
  /** Called with the headers of a good answer. */
  readonly onHeaders?: ((headers: Headers) => void) | undefined;
  /** The least `timeoutMs`. */
  readonly patienceMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

const RETRIED = new Set([408, 425, 429, 500, 502, 503, 504]);
const FIRST_PAUSE_MS = 250;
const MAX_PAUSE_MS = 8_000;
/** A timer of more ends at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;
/** The last moment that a `Date` can be. */
const LAST_DATE_MS = 8.64e15;

/** Sends requests. */
export class Transport {
  readonly network: string;
  readonly retries: number;
  /** The native coins that are known, by network. */
  readonly coins: Map<string, { readonly symbol: string; readonly decimals: number }>;
  readonly #options: ClientOptions;
  readonly #apiKey: string;
  readonly #url: string;
  readonly #timeoutMs: number;

  /** @param coins shared with the same client of another network */
  constructor(options: ClientOptions, coins: Transport['coins']) {
    this.coins = coins;
    if (!options.apiKey) throw new TypeError('apiKey is missing');
    this.#apiKey = options.apiKey.trim();
    // `fetch` would quote it in its error.
    if (/[^\t -~]/.test(this.#apiKey)) throw new TypeError('apiKey has characters that no key has');
    this.#options = options;
    this.#url = baseOf(options.url ?? 'http://127.0.0.1:8080');
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
        return parsed<T>(await timeout.bound(response.text()), `the answer of ${this.#url}`);
      } finally {
        timeout.end();
      }
    });
  }

  /** Yields the bytes of an answer; the timeout is for each part. One attempt. */
  async *stream(question: Question, attempt: number): AsyncGenerator<Uint8Array, void> {
    const { patienceMs = 0, signal } = question;
    const timeout = new Timeout(this.#url, Math.max(this.#timeoutMs, patienceMs), signal);
    try {
      const { body } = await this.send(question, attempt, timeout);
      const reader = body?.getReader();
      for (;;) {
        timeout.extend();
        const part = reader && (await timeout.bound(reader.read()));
        if (!part || part.done) return;
        // The caller's time is not the API's.
        timeout.pause();
        yield part.value;
      }
    } finally {
      timeout.end();
    }
  }

  /** Repeats work while a retry may mend its error. @param work receives the attempt's number */
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
    // Half of it is random, so that clients do not return together.
    const ms = Math.max(asked, doubled * (0.5 + Math.random() / 2));
    if (ms > (this.#options.maxRetryWaitMs ?? 60_000)) throw error;
    await pause(ms, signal);
  }

  /** One attempt, up to the head of a good answer. */
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
    let response: Response;
    let error: ApiError | undefined;
    try {
      response = await timeout.bound(
        fetch(attempt.url, {
          method,
          headers: { ...headers, 'x-api-key': this.#apiKey },
          body: body?.text ?? null,
          signal: timeout.signal,
          // Another server must not get the key.
          redirect: 'manual',
        }),
      );
      if (!response.ok) error = errorOf(response, await timeout.bound(response.text()));
    } catch (failure) {
      ended(0, { error: failure });
      throw failure;
    }
    const units = Number(response.headers.get('x-units') ?? NaN);
    ended(response.status, { ...(Number.isNaN(units) ? {} : { units }), ...(error ? { error } : {}) });
    if (error) throw error;
    question.onHeaders?.(response.headers);
    return response;
  }
}

/** Aborts a request when its caller does, or nothing arrives for a while. */
class Timeout {
  readonly #controller = new AbortController();
  readonly #url: string;
  readonly #ms: number;
  readonly #outer: AbortSignal | undefined;
  readonly #onAbort = (): void => this.#abort(this.#outer?.reason);
  #timer: ReturnType<typeof setTimeout> | undefined;
  #late = false;
  /** Ends the step that is under way. */
  #refuse: ((reason: unknown) => void) | undefined;

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
    this.pause();
    this.#timer = setTimeout(
      () => {
        this.#late = true;
        this.#abort();
      },
      Math.min(this.#ms, LONGEST_TIMER_MS),
    );
  }

  pause(): void {
    clearTimeout(this.#timer);
  }

  /** A step of the request, or the client's error. In Node 20, a body that has wholly arrived never ends once it is aborted. */
  async bound<T>(step: Promise<T>): Promise<T> {
    const aborted = new Promise<never>((_resolve, reject) => (this.#refuse = reject));
    if (this.signal.aborted) this.#refuse?.(this.signal.reason);
    try {
      return await Promise.race([step, aborted]);
    } catch (error) {
      throw this.#explain(error);
    }
  }

  /** Ends the request too, where it still runs. */
  end(): void {
    this.pause();
    this.#outer?.removeEventListener('abort', this.#onAbort);
    this.#controller.abort();
  }

  #abort(reason?: unknown): void {
    this.#controller.abort(reason);
    this.#refuse?.(this.signal.reason);
  }

  #explain(error: unknown): unknown {
    if (this.#outer?.aborted) return this.#outer.reason;
    if (this.#late) return new TimeoutError(`no answer within ${this.#ms} ms`, { cause: error });
    return new ConnectionError(`the connection to ${this.#url} failed`, { cause: error });
  }
}

/** The base of all URLs. @throws {TypeError} without quoting it: it may hold a password */
function baseOf(text: string): string {
  const url = text.trim();
  try {
    // A page may name its own server by a path.
    const { location } = globalThis as { readonly location?: { readonly href: string } };
    const { protocol, username, password } = new URL(url, location?.href);
    // An empty query takes paths, too.
    if (/^https?:$/.test(protocol) && !username && !password && !/[?#]/.test(url))
      return url.replace(/\/$/, '');
  } catch {
    // It is no URL.
  }
  throw new TypeError('url: expected http:// or https://, and no password, ? or #');
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

function errorOf(response: Response, text: string): ApiError {
  const { status, headers, type } = response;
  // A web page sees only the type of a redirection.
  const isElsewhere = type === 'opaqueredirect' || (status >= 300 && status < 400);
  const { message = `HTTP ${status}`, code } = parse(text);
  return toApiError({
    status,
    message: isElsewhere
      ? `the API is not at this url, which redirects to ${headers.get('location') ?? 'another'}`
      : message,
    code,
    requestId: headers.get('x-request-id') ?? undefined,
    retryAtMs: retryAt(headers.get('retry-after')),
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
  return Number.isNaN(at) ? undefined : Math.min(at, LAST_DATE_MS);
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
    const timer = setTimeout(
      () => {
        signal?.removeEventListener('abort', stop);
        resolve();
      },
      Math.min(ms, LONGEST_TIMER_MS),
    );
    signal?.addEventListener('abort', stop, { once: true });
  });
}
