import { createServer } from 'node:http';
import { LASTING } from '@hindsight/kernel/test/support/lasting.ts';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';

import type { CarrierName } from '../../src/state/multicall/carriers/carrier.ts';
import { MULTICALL } from '../../src/state/multicall/program.ts';

const CALL = '"eth_call"';
/** Marks of each carrier in a call. */
const MARKS: Readonly<Record<CarrierName, string>> = {
  revert: `"data":"${MULTICALL.revert}`,
  override: '{"code":"0x',
  return: `"data":"${MULTICALL.return}`,
};
const NOT_TAKEN = '{"jsonrpc":"2.0","id":0,"error":{"code":-32602,"message":"not taken here"}}';

/** Stands before a node and counts its calls. */
export interface NodeProxy {
  readonly url: string;
  /** HTTP requests so far. */
  requests: number;
  /** `eth_call`s in them. */
  calls: number;
  /** Milliseconds that each request is held back. */
  delayMs: number;
  close(): Promise<void>;
}

/**
 * Starts a proxy before a node, on a free port of loopback. @param only the carrier that it lets through; by
 * default all
 */
export async function startNodeProxy(nodeUrl: string, only?: CarrierName): Promise<NodeProxy> {
  const refused = Object.entries(MARKS).flatMap(([name, mark]) =>
    only === undefined || only === name ? [] : [mark],
  );
  const { origin, pathname } = new URL(nodeUrl);
  const pool = new Pool(origin, { connections: 128, pipelining: 1 });
  const server = createServer(LASTING, (request, response) => {
    proxy.requests += 1;
    const forward = async (): Promise<void> => {
      if (proxy.delayMs > 0) await sleep(proxy.delayMs);
      const headers = { 'content-type': 'application/json' };
      const asked = await buffer(request);
      if (refused.some((mark) => asked.includes(mark))) {
        response.writeHead(200, headers).end(NOT_TAKEN);
        return;
      }
      for (let at = asked.indexOf(CALL); at !== -1; at = asked.indexOf(CALL, at + CALL.length))
        proxy.calls += 1;
      const answer = await pool.request({ path: pathname, method: 'POST', headers, body: asked });
      const body = Buffer.from(await answer.body.arrayBuffer());
      response.writeHead(answer.statusCode, {
        'content-type': 'application/json',
        'content-length': body.length,
      });
      response.end(body);
    };
    forward().catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const proxy: NodeProxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: 0,
    calls: 0,
    delayMs: 0,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await pool.destroy();
    },
  };
  return proxy;
}
