import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import { ErrorCode } from '@modelcontextprotocol/sdk/types.js';
import { adviceOn, type Fault } from './faults.ts';
import { createMcpServer, failed } from './server.ts';
import { answerStateless, complete, isStateless, type Message } from './stateless.ts';
import type { Api } from './tool.ts';

/** Nothing looks at it. */
const URL_OF_NONE = 'http://mcp/';

export interface HttpMessage {
  /** `accept`, `content-type`, and those of the protocol, as sent. */
  readonly headers: readonly [name: string, value: string][];
  readonly text: string;
}

/**
 * Answers one message over Streamable HTTP: JSON in, JSON out. There are no sessions, so any process can
 * answer any message.
 * @param api for the calls of its tools; its signal ends the work
 */
export async function answerOverHttp(api: Api, { headers, text }: HttpMessage): Promise<Response> {
  if (isBatch(text)) return refuseBatch();
  const message = parsed(text);
  const named = new Headers([...headers] as [string, string][]);
  const version = named.get('mcp-protocol-version') ?? undefined;
  if (isStateless(message, version)) {
    const method = named.get('mcp-method') ?? undefined;
    const name = named.get('mcp-name') ?? undefined;
    const { status, body } = await answerStateless(api, message, { version, method, name });
    return body === null ? new Response(null, { status }) : Response.json(body, { status });
  }
  const request = new Request(URL_OF_NONE, { method: 'POST', headers: [...headers], body: text });
  const server = createMcpServer(api);
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  const left = new Promise<never>((_resolve, reject) => {
    api.signal.addEventListener('abort', () => reject(api.signal.reason as Error), { once: true });
  });
  try {
    await server.connect(transport);
    // If the server closes before its answer is complete, the transport never answers.
    return await Promise.race([transport.handleRequest(request), left]);
  } finally {
    await server.close();
  }
}

/**
 * Answers the call of a tool that is refused before any work: the model reads this error, while an HTTP error
 * would reach its program alone. Undefined for any other message.
 */
export function refuseCall(text: string, fault: Fault) {
  const { id, method } = parsed(text);
  if (method !== 'tools/call' || (typeof id !== 'string' && typeof id !== 'number')) return undefined;
  return { jsonrpc: '2.0', id, result: complete(failed(adviceOn(fault))) };
}

/** Not JSON, or no object: nothing can be read from it. */
function parsed(text: string): Message {
  if (isBatch(text)) return {};
  try {
    return Object(JSON.parse(text)) as object;
  } catch {
    return {};
  }
}

function isBatch(text: string): boolean {
  return text.trimStart().startsWith('[');
}

/** The protocol has had no batches since its version 2025-06-18. */
function refuseBatch(): Response {
  const message =
    'Invalid Request: batches are not part of the protocol since 2025-06-18; send one message a request';
  const error = { code: ErrorCode.InvalidRequest, message };
  return Response.json({ jsonrpc: '2.0', error, id: null }, { status: 400 });
}
