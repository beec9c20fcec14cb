/** JSON-RPC 2.0 over a keep-alive pool of HTTP connections: one Ethereum node. */
import { Pool, type Dispatcher } from 'undici';
import type { EthereumNode, RpcCall, RpcOutcome } from './node.ts';
import { fromRpcError, NodeError } from './node-error.ts';

interface JsonRpcOptions {
  /** The node's URL; may carry credentials, which never reach a log or an error. */
  readonly url: string;
  /** How operators call it; the host when not given. */
  readonly label?: string;
  readonly connections?: number;
  /** Milliseconds for a whole exchange. */
  readonly timeoutMs?: number;
  /** Largest answer in bytes. */
  readonly maxBytes?: number;
}

const DEFAULT_TIMEOUT_MS = 5_000;
const DEFAULT_MAX_BYTES = 16 * 1024 * 1024;
const CONNECT_TIMEOUT_MS = 1_500;

/** Creates the client. It connects when it is first asked. */
export function createJsonRpcNode(options: JsonRpcOptions): EthereumNode {
  const url = new URL(options.url);
  const label = options.label ?? url.host;
  const headers: Record<string, string> = { 'content-type': 'application/json', accept: 'application/json' };
  if (url.username !== '' || url.password !== '') {
    const credentials = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
    headers.authorization = `Basic ${Buffer.from(credentials).toString('base64')}`;
  }
  const pool = new Pool(url.origin, {
    connections: options.connections ?? 64,
    pipelining: 1,
    connect: { timeout: CONNECT_TIMEOUT_MS },
    keepAliveTimeout: 30_000,
  });
  const path = url.pathname + url.search;
  const maxBytes = options.maxBytes ?? DEFAULT_MAX_BYTES;
  return {
    label,
    async send(calls, { signal, timeoutMs = options.timeoutMs ?? DEFAULT_TIMEOUT_MS } = {}) {
      const body = encode(calls);
      const text = await new Promise<string>((resolve, reject) => {
        const exchange = new NodeExchange(label, maxBytes, resolve, reject);
        pool.dispatch({ path, method: 'POST', headers, body, headersTimeout: 0, bodyTimeout: 0 }, exchange);
        exchange.limit(timeoutMs, signal);
      });
      return decode(label, text, calls);
    },
    close: () => pool.destroy(),
  };
}

function encode(calls: readonly RpcCall[]): string {
  const requests = calls.map(({ method, params }, id) => ({ jsonrpc: '2.0', id, method, params }));
  return JSON.stringify(requests.length === 1 ? requests[0] : requests);
}

interface RpcAnswer {
  readonly id?: unknown;
  readonly result?: unknown;
  readonly error?: { code?: unknown; message?: unknown; data?: unknown } | null;
}

function decode(label: string, text: string, calls: readonly RpcCall[]): readonly RpcOutcome[] {
  const malformed = (what: string): NodeError => new NodeError('malformed', `${label} answered ${what}`);
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw malformed('something that is not JSON');
  }
  // A node that refuses a whole batch answers with a single error object.
  if (calls.length > 1 && isAnswer(parsed) && !Array.isArray(parsed) && parsed.error)
    throw fromRpcError(label, parsed.error);
  const answers: unknown[] = Array.isArray(parsed) ? parsed : [parsed];
  // Servers may answer a batch in any order (JSON-RPC 2.0, section 6): only the id tells what belongs to what.
  const outcomes = new Map<number, RpcOutcome>();
  for (const answer of answers) {
    if (!isAnswer(answer)) throw malformed('something that is not JSON-RPC');
    const { id } = answer;
    // An error without an id is the server's word on the whole request: a rate limit, say.
    if (answer.error && (id === null || id === undefined)) throw fromRpcError(label, answer.error);
    if (typeof id !== 'number' || id >= calls.length || outcomes.has(id))
      throw malformed('with an id that was not asked');
    if (answer.error) outcomes.set(id, { error: fromRpcError(label, answer.error) });
    else if ('result' in answer) outcomes.set(id, { result: answer.result });
    else throw malformed('with neither result nor error');
  }
  return calls.map((_, id) => {
    const outcome = outcomes.get(id);
    if (outcome === undefined) throw malformed('without one of the calls');
    return outcome;
  });
}

function isAnswer(value: unknown): value is RpcAnswer {
  return typeof value === 'object' && value !== null;
}

/** Collects one answer, within a size and a time. */
class NodeExchange implements Dispatcher.DispatchHandler {
  readonly #label: string;
  readonly #maxBytes: number;
  readonly #resolve: (text: string) => void;
  readonly #reject: (error: Error) => void;
  #controller: Dispatcher.DispatchController | undefined;
  #chunks: Buffer[] = [];
  #size = 0;
  #status = 0;
  #retryAfterMs: number | undefined;
  #failure: Error | undefined;
  #release: () => void = () => undefined;

  constructor(
    label: string,
    maxBytes: number,
    resolve: (text: string) => void,
    reject: (error: Error) => void,
  ) {
    this.#label = label;
    this.#maxBytes = maxBytes;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  /** Bounds the exchange in time and ties it to the caller's signal. */
  limit(timeoutMs: number, signal: AbortSignal | undefined): void {
    const timer = setTimeout(
      () => this.#fail(new NodeError('timeout', `${this.#label} did not answer within ${timeoutMs} ms`)),
      timeoutMs,
    );
    const onAbort = (): void =>
      this.#fail(signal?.reason instanceof Error ? signal.reason : new Error('given up by the caller'));
    this.#release = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
    };
    if (this.#failure) this.#release();
    else if (signal?.aborted) onAbort();
    else signal?.addEventListener('abort', onAbort, { once: true });
  }

  #fail(error: Error): void {
    if (this.#failure) return;
    this.#failure = error;
    this.#release();
    this.#reject(error);
    this.#controller?.abort(error);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#failure) controller.abort(this.#failure);
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    statusCode: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    this.#status = statusCode;
    const retryAfter = Number(headers['retry-after']);
    if (retryAfter >= 0) this.#retryAfterMs = retryAfter * 1000;
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#size += chunk.length;
    if (this.#size > this.#maxBytes)
      this.#fail(new NodeError('malformed', `${this.#label} answered more than ${this.#maxBytes} bytes`));
    else this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    if (this.#failure) return;
    this.#release();
    const text = this.#chunks.length === 1 ? String(this.#chunks[0]) : Buffer.concat(this.#chunks).toString();
    const refusal = this.#refusal(text);
    if (refusal) this.#reject(refusal);
    else this.#resolve(text);
  }

  /** Some servers answer JSON-RPC errors with a 4xx or 5xx: such a body is read like any other. */
  #refusal(text: string): NodeError | undefined {
    if (this.#status >= 200 && this.#status < 300) return undefined;
    const details = this.#retryAfterMs === undefined ? {} : { retryAfterMs: this.#retryAfterMs };
    if (this.#status === 429) return new NodeError('busy', `${this.#label} answered HTTP 429`, details);
    if (text.trimStart().startsWith('{') && text.includes('"jsonrpc"')) return undefined;
    return new NodeError(
      this.#status === 503 ? 'busy' : 'unreachable',
      `${this.#label} answered HTTP ${this.#status}`,
      details,
    );
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#fail(
      new NodeError('unreachable', `${this.#label} could not be reached: ${describe(error)}`, {
        cause: error,
      }),
    );
  }
}

/** An error's own words, without what might quote a URL. */
function describe(error: Error & { code?: string }): string {
  return error.code ?? error.name;
}
