/** JSON-RPC to our own node, in order: one connection, one request at a time. */
// Not all of undici, of which a start would wait for 90 modules more; the image has nothing of shared/.
import Client from 'undici/lib/dispatcher/client.js';
import type { Answer, Question } from './client.ts';

const TIMEOUT_MS = 60_000;

export class OrderedRpc {
  readonly #client: Client;

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
  async call(...question: Question): Promise<unknown> {
    const [result] = await this.callAll([question]);
    return result;
  }

  /**
   * Sends all in one request. The results are in the order of the questions; whether the calls take effect in that order is
   * for the node to say. Rejects with the node's first error.
   */
  async callAll(questions: readonly Question[]): Promise<readonly unknown[]> {
    const batch = questions.map(([method, ...params], id) => ({ jsonrpc: '2.0', id, method, params }));
    const answers = JSON.parse(await this.#post(JSON.stringify(batch))) as (Answer & { id: number })[];
    // Nodes may answer a batch in any order.
    return answers
      .sort((one, other) => one.id - other.id)
      .map(({ id, result, error }) => {
        if (error === undefined) return result;
        throw new Error(`${questions[id]?.[0]} failed on the dev chain: ${error.message} (${error.code})`);
      });
  }

  /** The answer's text. Not undici's `request`, whose streams are a third of what a small call costs here. */
  #post(body: string): Promise<string> {
    return new Promise((resolve, reject) => {
      const parts: Buffer[] = [];
      const headers = { 'content-type': 'application/json' };
      this.#client.dispatch(
        { path: '/', method: 'POST', headers, body },
        {
          onRequestStart: () => undefined,
          onResponseStart: () => undefined,
          onResponseData: (_, part) => void parts.push(part),
          onResponseEnd: () => resolve(String(Buffer.concat(parts))),
          onResponseError: (_, error) => reject(error),
        },
      );
    });
  }

  async close(): Promise<void> {
    await this.#client.destroy();
  }
}
