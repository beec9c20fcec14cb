/** JSON-RPC to our own node, in order: one connection, one request at a time. */
// The image of the dev chain holds this folder alone, so nothing of shared/.
import { Client } from 'undici';

const TIMEOUT_MS = 60_000;

interface Answer {
  result?: unknown;
  error?: { code: number; message: string };
}

export class OrderedRpc {
  readonly #client: Client;
  #id = 0;

  constructor(url: string) {
    // Not pipelined: that was measured to take three times as long, the node sitting idle between acknowledgements.
    this.#client = new Client(url, {
      pipelining: 1,
      headersTimeout: TIMEOUT_MS,
      bodyTimeout: TIMEOUT_MS,
      connect: { timeout: TIMEOUT_MS },
    });
  }

  /** Takes effect after every call made before it. Rejects with the node's error. */
  async call(method: string, ...params: unknown[]): Promise<unknown> {
    this.#id += 1;
    const { body } = await this.#client.request({
      path: '/',
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: this.#id, method, params }),
    });
    const { result, error } = (await body.json()) as Answer;
    if (error !== undefined)
      throw new Error(`${method} failed on the dev chain: ${error.message} (${error.code})`);
    return result;
  }

  async close(): Promise<void> {
    await this.#client.destroy();
  }
}
