/** JSON-RPC 2.0 over a keep-alive pool of HTTP connections: one Ethereum node. */
// It leaves a percent sign that escapes nothing as it is, where `decodeURIComponent` throws.
import { unescape } from 'node:querystring';
import { nextTurn } from '@hindsight/kernel/turns.ts';
import { Pool } from '@hindsight/kernel/undici.ts';
import { exchange, type HttpAnswer } from './http-exchange.ts';
import type { EthereumNode, RpcCall, RpcOutcome } from './node.ts';
import type { NodeErrorKind } from './node-error-kind.ts';
import { isKnownText } from './error-texts.ts';
import { fromRpcError, NodeError } from './node-error.ts';

interface JsonRpcOptions {
  /** The node's URL; may carry credentials, which never reach a log or an error. */
  readonly url: string;
  /** Its name for operators; the host by default. */
  readonly label?: string;
  /** Milliseconds for a whole exchange. */
  readonly timeoutMs?: number;
}

const DEFAULT_TIMEOUT_MS = 5_000;
const MAX_BYTES = 16 * 1024 * 1024;
const CONNECTIONS = 64;
const CONNECT_TIMEOUT_MS = 1_500;
/** Characters; a longer answer is a turn's work to read, and those of many requests may come together. */
const LARGE = 64 * 1024;
/** Shorter parts of a URL's path and query ("v2", "eth", "1") are not keys. */
const SHORTEST_SECRET = 8;

/** The node that answered, and the parts of its URL that an error must not quote. */
interface Source {
  readonly label: string;
  readonly secrets: readonly string[];
}

/** Creates the client. It connects when it is first asked. */
export function createJsonRpcNode(options: JsonRpcOptions): EthereumNode {
  const url = new URL(options.url);
  const source: Source = { label: options.label ?? url.host, secrets: secretsOf(url) };
  const pool = new Pool(url.origin, {
    connections: CONNECTIONS,
    pipelining: 1,
    connect: { timeout: CONNECT_TIMEOUT_MS },
    keepAliveTimeout: 30_000,
  });
  const request = { path: url.pathname + url.search, method: 'POST', headers: headersFor(url) } as const;
  const { label } = source;
  return {
    label,
    async send(calls, asked = {}) {
      const { signal, timeoutMs = options.timeoutMs ?? DEFAULT_TIMEOUT_MS, maxBytes = MAX_BYTES } = asked;
      const body = encode(calls);
      const answer = await exchange(pool, { ...request, body }, { label, maxBytes, timeoutMs, signal });
      if (answer.text.length > LARGE) await nextTurn();
      return decode(source, answer, calls);
    },
    close: () => pool.destroy(),
  };
}

function headersFor(url: URL): Record<string, string> {
  const headers = { 'content-type': 'application/json', accept: 'application/json' };
  if (url.username === '' && url.password === '') return headers;
  const credentials = `${unescape(url.username)}:${unescape(url.password)}`;
  return { ...headers, authorization: `Basic ${Buffer.from(credentials).toString('base64')}` };
}

/** Providers put their keys into the path, the query or the credentials. */
function secretsOf(url: URL): readonly string[] {
  const parts = [...url.pathname.split('/'), ...url.searchParams.values()];
  const given = parts.filter((part) => part.length >= SHORTEST_SECRET);
  return [...given, ...(url.password === '' ? [] : [url.password, unescape(url.password)])];
}

function encode(calls: readonly RpcCall[]): string {
  const requests = calls.map(({ method, params, run }, id) => {
    if (run) throw new TypeError('a program needs a carrier');
    return { jsonrpc: '2.0', id, method, params };
  });
  return JSON.stringify(requests.length === 1 ? requests[0] : requests);
}

interface RpcAnswer {
  readonly id?: unknown;
  readonly result?: unknown;
  readonly error?: unknown;
}

function decode(source: Source, answer: HttpAnswer, calls: readonly RpcCall[]): readonly RpcOutcome[] {
  const succeeded = answer.status >= 200 && answer.status < 300;
  if (answer.status === 429) throw httpError(source, answer);
  let parsed: unknown;
  try {
    parsed = JSON.parse(answer.text);
  } catch {
    if (!succeeded) throw httpError(source, answer);
    throw malformed(source, 'something that is not JSON');
  }
  // Some servers send JSON-RPC errors with a 4xx or 5xx; nothing else counts with such a status.
  if (!succeeded && !isFailure(parsed, answer.status)) throw httpError(source, answer);
  return readAnswers(source, parsed, calls);
}

function readAnswers(source: Source, parsed: unknown, calls: readonly RpcCall[]): readonly RpcOutcome[] {
  const answers: unknown[] = Array.isArray(parsed) ? parsed : [parsed];
  // Servers may answer a batch in any order (JSON-RPC 2.0, section 6): only the id says which answer belongs to which call.
  const outcomes = new Map<number, RpcOutcome>();
  for (const answer of answers) {
    if (!isObject(answer)) throw malformed(source, 'something that is not JSON-RPC');
    const { id, error } = answer;
    // An error without an id, or a single one for a batch, concerns the whole request: a rate limit, for example.
    const forAll = id === null || id === undefined || (calls.length > 1 && !Array.isArray(parsed));
    if (error && forAll) throw fromRpcError(source.label, error, source.secrets);
    if (typeof id !== 'number' || !Number.isInteger(id) || id < 0 || id >= calls.length || outcomes.has(id))
      throw malformed(source, 'with an id that was not asked');
    if (error) outcomes.set(id, { error: fromRpcError(source.label, error, source.secrets) });
    else if ('result' in answer) outcomes.set(id, { result: answer.result });
    else throw malformed(source, 'with neither result nor error');
  }
  return calls.map((_, id) => outcomes.get(id) ?? throwMissing(source, outcomes));
}

/** geth answers a batch that is too large with a single error, on the first id. */
function throwMissing(source: Source, outcomes: ReadonlyMap<number, RpcOutcome>): never {
  for (const outcome of outcomes.values()) if ('error' in outcome) throw outcome.error;
  throw malformed(source, 'without one of the calls');
}

function isFailure(parsed: unknown, status: number): boolean {
  const answers: unknown[] = Array.isArray(parsed) ? parsed : [parsed];
  return answers.length > 0 && answers.every((answer) => isObject(answer) && saysWhy(answer.error, status));
}

/** True for an error that says more than a server in trouble, of which many name the status in a field called `error`. */
function saysWhy(error: unknown, status: number): boolean {
  return typeof error === 'string' && status >= 500 ? isKnownText(error) : Boolean(error);
}

function isObject(value: unknown): value is RpcAnswer {
  return typeof value === 'object' && value !== null;
}

function malformed({ label }: Source, what: string): NodeError {
  return new NodeError('malformed', `${label} answered ${what}`);
}

const KIND_OF_STATUS: Readonly<Record<number, NodeErrorKind>> = {
  402: 'busy',
  // The question is too large, and the node is well.
  413: 'refused',
  429: 'busy',
  503: 'busy',
};

function httpError({ label }: Source, { status, retryAfterMs }: HttpAnswer): NodeError {
  const kind = KIND_OF_STATUS[status] ?? 'unreachable';
  const details = retryAfterMs === undefined ? {} : { retryAfterMs };
  return new NodeError(kind, `${label} answered HTTP ${status}`, details);
}
