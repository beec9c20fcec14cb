/** For tests: a node whose answers are altered on the way. */
import { createServer } from 'node:http';
import { LASTING } from '@hindsight/kernel/test/support/lasting.ts';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { request } from 'undici';

/** The altered result of a call; an Error is sent as an error. */
type Alteration = (method: string, result: unknown, params: readonly unknown[]) => unknown;

/** Stands before a node. */
export interface AlteredNode {
  readonly url: string;
  /** HTTP requests so far. */
  requests: number;
  alter(alteration: Alteration): void;
  close(): Promise<void>;
}

interface Call {
  readonly id: unknown;
  readonly method: string;
  readonly params: readonly unknown[];
}

interface Answer {
  readonly id: unknown;
  readonly result?: unknown;
}

/** Starts it before a node, on a free port of loopback; at first it alters nothing. */
export async function startAlteredNode(nodeUrl: string): Promise<AlteredNode> {
  let alteration: Alteration | undefined;
  const answer = async (body: string): Promise<string> => {
    const headers = { 'content-type': 'application/json' };
    const sent = await request(nodeUrl, { method: 'POST', headers, body });
    const own = await sent.body.text();
    if (alteration === undefined) return own;
    const calls = [JSON.parse(body) as Call | Call[]].flat();
    const parsed = JSON.parse(own) as Answer | Answer[];
    const answers = [parsed].flat();
    const changed = answers.map((one) => {
      const call = calls.find(({ id }) => id === one.id);
      if (call === undefined || !('result' in one)) return one;
      const result = alteration!(call.method, one.result, call.params);
      if (result === one.result) return one;
      if (!(result instanceof Error)) return { ...one, result };
      return { jsonrpc: '2.0', id: one.id, error: { code: -32_000, message: result.message } };
    });
    // The node's own text where nothing is changed: it may be half a megabyte.
    if (changed.every((one, at) => one === answers[at])) return own;
    return JSON.stringify(Array.isArray(parsed) ? changed : changed[0]);
  };
  const server = createServer(LASTING, (asked, response) => {
    node.requests += 1;
    text(asked)
      .then(answer)
      .then(
        (body) => response.setHeader('content-type', 'application/json').end(body),
        () => response.destroy(),
      );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const node: AlteredNode = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: 0,
    alter(next) {
      alteration = next;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return node;
}
