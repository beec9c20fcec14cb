/** For tests: a node whose answers are altered on the way. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

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

/** Starts it before a node, on a free port of loopback; at first it alters nothing. */
export async function startAlteredNode(nodeUrl: string): Promise<AlteredNode> {
  let alteration: Alteration = (_method, result) => result;
  const answer = async (body: string): Promise<string> => {
    const asked = JSON.parse(body) as Call | Call[];
    const response = await fetch(nodeUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    const answers = [(await response.json()) as { id: unknown; result?: unknown }].flat() as {
      id: unknown;
      result?: unknown;
    }[];
    const changed = answers.map((one) => {
      const call = [asked].flat().find(({ id }) => id === one.id);
      if (call === undefined || !('result' in one)) return one;
      const result = alteration(call.method, one.result, call.params);
      if (!(result instanceof Error)) return { ...one, result };
      return { jsonrpc: '2.0', id: one.id, error: { code: -32_000, message: result.message } };
    });
    return JSON.stringify(Array.isArray(asked) ? changed : changed[0]);
  };
  const server = createServer((request, response) => {
    node.requests += 1;
    text(request)
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
