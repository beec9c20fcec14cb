/** Records the document's examples from a running installation. */
import type { ApiOperation } from '@hindsight/http/api-operation.ts';
import { TOKENS } from '@hindsight/devchain/world.ts';
import type { RecordedExample, RecordedExamples } from './document.ts';
import { EXAMPLE_ID } from './parts.ts';
import { EXAMPLE_REQUESTS, FIXED_EXAMPLES, type ExampleRequest } from './example-requests.ts';

/** The gateway, and a key of another project than the demo's, which may not send orders. */
export interface Api {
  readonly url: string;
  readonly key: string;
}

const ASK_WITHIN_MS = 60_000;
const INDEXED_WITHIN_MS = 240_000;
const PAUSE_MS = 100;
/** The status of an index that is still behind. */
const BEHIND = 503;

/** The answers, by `operationId`. @throws {Error} for an answer of another status than expected */
export async function recordExamples(
  api: Api,
  operations: readonly ApiOperation[],
): Promise<RecordedExamples> {
  await untilIndexed(api);
  const recorded: Record<string, RecordedExample> = {};
  for (const { operationId, success, method } of operations) {
    const request = EXAMPLE_REQUESTS[operationId];
    const fixed = FIXED_EXAMPLES[operationId];
    if (request === undefined && fixed === undefined)
      throw new Error(`${operationId} has no request in tools/openapi/example-requests.ts`);
    recorded[operationId] =
      request === undefined
        ? { query: {}, answer: fixed, errors: {} }
        : await record(api, { method, status: success.status, request, file: success.file });
  }
  return recorded;
}

interface Wanted {
  readonly method: string;
  readonly status: number;
  readonly request: ExampleRequest;
  readonly file: ApiOperation['success']['file'];
}

async function record(api: Api, { method, status, request, file }: Wanted): Promise<RecordedExample> {
  const { path, query, body, refused } = request;
  const answer = await ask(api, { method, path, query, body, status, facts: file?.facts });
  const errors: Record<string, unknown> = {
    401: await ask({ ...api, key: '' }, { method, path, query, body, status: 401 }),
  };
  for (const [code, wrong] of Object.entries(refused)) {
    errors[code] = await ask(api, { method, path, query: wrong, body, status: Number(code) });
  }
  return { query, answer, errors, ...(body === undefined ? {} : { body }) };
}

interface Question {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly status: number;
  /** The header that is recorded in place of a file. */
  readonly facts?: string | undefined;
}

async function ask(
  { url, key }: Api,
  { method, path, query, body, status, facts }: Question,
): Promise<unknown> {
  const search = new URLSearchParams(query).toString();
  const send = (): Promise<Response> =>
    fetch(`${url}${path}${search === '' ? '' : `?${search}`}`, {
      method,
      headers: {
        'x-api-key': key,
        'x-request-id': EXAMPLE_ID,
        ...(body === undefined ? {} : { 'content-type': typeOf(body) }),
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      signal: AbortSignal.timeout(ASK_WITHIN_MS),
    });
  const response = await whileBehind(send, status);
  const isJson = response.headers.get('content-type')?.startsWith('application/json');
  const answer: unknown = await (isJson ? response.json() : response.text());
  if (facts !== undefined && response.ok) return JSON.parse(response.headers.get(facts) ?? '');
  if (response.status !== status) {
    throw new Error(`${method} ${path} answered ${response.status}: ${JSON.stringify(answer)}`);
  }
  return answer;
}

/** The same question again while an index is behind, as it is at first. */
async function whileBehind(send: () => Promise<Response>, status: number): Promise<Response> {
  const deadline = Date.now() + INDEXED_WITHIN_MS;
  for (;;) {
    const response = await send();
    if (response.status !== BEHIND || status === BEHIND || Date.now() > deadline) return response;
    await response.arrayBuffer();
    await pause();
  }
}

/** A text is sent unchanged. */
function typeOf(body: unknown): string {
  return typeof body === 'string' ? 'text/plain' : 'application/json';
}

/** Lists are whole once the indexes of tokens and of holders have reached the last finalized block. */
async function untilIndexed({ url, key }: Api): Promise<void> {
  const deadline = Date.now() + INDEXED_WITHIN_MS;
  const holders = `/v1/eth-mainnet/token/holders?order=balance&limit=1&token_address=${TOKENS.usdc.address}`;
  const textOf = async (path: string): Promise<string> => {
    const init = { headers: { 'x-api-key': key }, signal: AbortSignal.timeout(ASK_WITHIN_MS) };
    return (await fetch(url + path, init)).text();
  };
  for (;;) {
    const [tokens, held] = await Promise.all(['/readyz', holders].map(textOf));
    const [, done, of] = /block (\d+) of (\d+)/.exec(tokens!) ?? [];
    if (done !== undefined && done === of && held!.includes(`"to_block":${of},`)) return;
    if (Date.now() > deadline) throw new Error(`the chain is not indexed in time: ${tokens} ${held}`);
    await pause();
  }
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
}
