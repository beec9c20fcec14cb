/**
 * The protocol from its revision 2026-07-28 on: no handshake, each request says which revision it speaks. Earlier ones are
 * the SDK's.
 */
import { ErrorCode, SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/sdk/types.js';
import { listGuides, NO_SUCH_GUIDE, readGuide } from './guides.ts';
import { CAPABILITIES, INSTRUCTIONS, LISTED, runTool, SERVER, TEMPLATES } from './server.ts';
import type { Api } from './tool.ts';

const REVISION = '2026-07-28';
/** Named by `server/discover` and by refusals: this revision, and those with a handshake. */
const SUPPORTED = [REVISION, ...SUPPORTED_PROTOCOL_VERSIONS];
const META = 'io.modelcontextprotocol/';
const VERSION_KEY = `${META}protocolVersion`;
/** Errors that the revision defines. */
const HEADER_MISMATCH = -32_020;
const UNSUPPORTED_VERSION = -32_022;
/** The field that `Mcp-Name` repeats, by method. */
const NAMED_BY: Readonly<Record<string, string>> = { 'tools/call': 'name', 'resources/read': 'uri' };
/** Lists change with a release only. */
const CACHED = { ttlMs: 3_600_000, cacheScope: 'public' } as const;

/** A message of JSON-RPC, as far as it is one. */
export interface Message {
  readonly id?: unknown;
  readonly method?: unknown;
  readonly params?: unknown;
}

/** Headers that repeat fields of the message; on standard input there are none. */
export interface MirroredHeaders {
  readonly version: string | undefined;
  readonly method: string | undefined;
  readonly name: string | undefined;
}

/** An answer, and its HTTP status. A notification has no body. */
export interface StatelessAnswer {
  readonly status: 200 | 202 | 400 | 404;
  readonly body: object | null;
}

/** True if a message is of this revision, or of a later one. @param version the header */
export function isStateless({ method, params }: Message, version?: string): boolean {
  return method === 'server/discover' || version === REVISION || VERSION_KEY in metaOf(params);
}

/** Adds to a result the fields that it has from this revision on. */
export function complete<T extends object>(result: T): T & { readonly resultType: 'complete' } {
  return { resultType: 'complete', ...result, _meta: { [`${META}serverInfo`]: SERVER } } as never;
}

/** Answers a message. @param headers over HTTP, where they must agree with it */
export async function answerStateless(
  api: Api,
  message: Message,
  headers?: MirroredHeaders,
): Promise<StatelessAnswer> {
  const { id, method, params } = message;
  if (id === undefined) return { status: 202, body: null };
  const refuse = (status: 400 | 404, code: number, text: string, data?: object): StatelessAnswer => ({
    status,
    body: { jsonrpc: '2.0', id: isId(id) ? id : null, error: { code, message: text, ...(data && { data }) } },
  });
  if (!isId(id) || typeof method !== 'string')
    return refuse(400, ErrorCode.InvalidRequest, 'Invalid Request: expected an id and a method');
  const version = metaOf(params)[VERSION_KEY];
  const capabilities = metaOf(params)[`${META}clientCapabilities`];
  if (typeof version !== 'string' || typeof capabilities !== 'object' || capabilities === null)
    return refuse(
      400,
      ErrorCode.InvalidParams,
      `Invalid params: expected ${VERSION_KEY} and ${META}clientCapabilities in _meta`,
    );
  const given = (params ?? {}) as {
    readonly name?: unknown;
    readonly uri?: unknown;
    readonly arguments?: unknown;
  };
  const name = method === 'resources/read' ? given.uri : given.name;
  const mismatch = headers && mismatchOf(headers, { version, method, name });
  if (mismatch !== undefined) return refuse(400, HEADER_MISMATCH, `Header mismatch: ${mismatch}`);
  if (version !== REVISION)
    return refuse(400, UNSUPPORTED_VERSION, 'Unsupported protocol version', {
      supported: SUPPORTED,
      requested: version,
    });
  const answer = (result: object): StatelessAnswer => ({
    status: 200,
    body: { jsonrpc: '2.0', id, result: complete(result) },
  });
  switch (method) {
    case 'server/discover':
      return answer({
        supportedVersions: SUPPORTED,
        capabilities: CAPABILITIES,
        instructions: INSTRUCTIONS,
        ...CACHED,
      });
    case 'tools/list':
      return answer({ ...LISTED, ...CACHED });
    case 'tools/call':
      if (typeof given.name !== 'string')
        return refuse(400, ErrorCode.InvalidParams, 'Invalid params: expected the name of a tool');
      return answer(await runTool(api, given.name, given.arguments));
    case 'resources/list':
      return answer({ ...listGuides(), ...CACHED });
    case 'resources/templates/list':
      return answer({ ...TEMPLATES, ...CACHED });
    case 'resources/read': {
      const guide = readGuide(given.uri, api.url);
      if (guide === undefined) return refuse(400, ErrorCode.InvalidParams, NO_SUCH_GUIDE);
      return answer({ ...guide, ...CACHED });
    }
    default:
      return refuse(404, ErrorCode.MethodNotFound, `Method not found: ${method.slice(0, 60)}`);
  }
}

function isId(id: unknown): id is string | number {
  return typeof id === 'string' || Number.isSafeInteger(id);
}

function metaOf(params: unknown): Readonly<Record<string, unknown>> {
  return Object((params as { readonly _meta?: unknown } | undefined)?._meta) as Record<string, unknown>;
}

/** The header that differs from the message, if any: what lies between may have decided by it. */
function mismatchOf(
  headers: MirroredHeaders,
  { version, method, name }: { readonly version: string; readonly method: string; readonly name: unknown },
): string | undefined {
  if (headers.version !== version) return 'MCP-Protocol-Version is not the version of _meta';
  if (headers.method !== method) return 'Mcp-Method is not the method';
  if (Object.hasOwn(NAMED_BY, method) && decoded(headers.name) !== name)
    return `Mcp-Name is not the ${NAMED_BY[method]} of the message`;
  return undefined;
}

/** A value other than plain text is sent as `=?base64?…?=`. */
function decoded(value: string | undefined): string | undefined {
  const [, encoded] = /^=\?base64\?([A-Za-z0-9+/=]*)\?=$/.exec(value ?? '') ?? [];
  return encoded === undefined ? value : Buffer.from(encoded, 'base64').toString();
}
