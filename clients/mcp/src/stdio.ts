import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { STDIO_DEFAULT_MAX_BUFFER_SIZE as MOST_BYTES } from '@modelcontextprotocol/sdk/shared/stdio.js';
import { ErrorCode, type JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import type { Readable, Writable } from 'node:stream';
import { createMcpServer } from './server.ts';
import { answerStateless, isStateless, type Message } from './stateless.ts';
import type { Api } from './tool.ts';

const INTERNAL = { code: -32_603, message: 'Internal error' };

/** Messages of revisions without a handshake are answered here; the SDK's server gets the others. */
class EitherTransport extends StdioServerTransport {
  readonly #api: Api;
  /** Ends a call that is under way, by the id of its message. */
  readonly #calls = new Map<unknown, AbortController>();

  constructor(api: Api, stdin: Readable, stdout: Writable) {
    super(stdin, stdout);
    this.#api = api;
  }

  /** Comes after the server has set its handler, and before the first message. */
  override start(): Promise<void> {
    const { onmessage: handshaken, onerror } = this;
    this.onerror = (error) => {
      onerror?.(error);
      void this.#refuse(error);
    };
    this.onmessage = (message) => {
      if (this.#isCancelled(message)) return;
      if (isStateless(message)) void this.#answer(message);
      else handshaken?.(message);
    };
    return super.start();
  }

  /** Answers a line that is no message; its sender may wait for one. */
  async #refuse({ name }: Error): Promise<void> {
    const code = { SyntaxError: ErrorCode.ParseError, ZodError: ErrorCode.InvalidRequest }[name];
    if (code === undefined) return;
    const message = code === ErrorCode.ParseError ? 'Parse error' : 'Invalid Request';
    await this.send({ jsonrpc: '2.0', id: null, error: { code, message } } as never);
  }

  /** True if a message cancels a call that is under way here: its caller waits for no answer. */
  #isCancelled({ method, params }: Message): boolean {
    if (method !== 'notifications/cancelled') return false;
    const call = this.#calls.get((params as { readonly requestId?: unknown } | undefined)?.requestId);
    call?.abort();
    return call !== undefined;
  }

  async #answer(message: Message): Promise<void> {
    const call = new AbortController();
    this.#calls.set(message.id, call);
    const signal = AbortSignal.any([this.#api.signal, call.signal]);
    const { body } = await answerStateless({ ...this.#api, signal }, message).catch(() => ({
      body: { jsonrpc: '2.0', id: message.id, error: INTERNAL },
    }));
    this.#calls.delete(message.id);
    if (body !== null && !call.signal.aborted) await this.send(body as JSONRPCMessage);
  }
}

/**
 * Serves one client over a pair of streams: a message a line. Resolves when it has closed its side.
 * @throws {Error} for a message that is longer than the transport reads
 */
export async function serveStdio(
  api: Api,
  { stdin, stdout }: { readonly stdin: Readable; readonly stdout: Writable },
): Promise<void> {
  const server = createMcpServer(api);
  const closed = new Promise<void>((resolve, reject) => {
    // The transport closes by itself then, and pauses its input, whose end would not be seen.
    server.onclose = () => reject(new Error(`expected messages of at most ${MOST_BYTES} bytes`));
    stdin.once('end', resolve);
    stdin.once('close', resolve);
    api.signal.addEventListener('abort', () => resolve(), { once: true });
  });
  await server.connect(new EitherTransport(api, stdin, stdout));
  await closed;
  await server.close();
}
