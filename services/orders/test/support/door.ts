import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { LASTING } from '@hindsight/kernel/test/support/lasting.ts';
import type { AddressInfo } from 'node:net';

/** A connection to a node that can be shut. */
export interface Door {
  readonly url: string;
  /** `shut`: every request is broken off; `hanging`: none is answered. */
  state: 'open' | 'shut' | 'hanging';
  close(): Promise<void>;
}

/** Opens a door before a node. */
export async function openDoor(nodeUrl: string): Promise<Door> {
  const server = createServer(LASTING, (request, response) => {
    if (door.state === 'shut') request.socket.destroy();
    else if (door.state === 'open') pass(request, response, nodeUrl).catch(() => response.destroy());
  });
  const door: Door = {
    url: '',
    state: 'open',
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return Object.assign(door, { url: `http://127.0.0.1:${port}` });
}

async function pass(request: IncomingMessage, response: ServerResponse, nodeUrl: string): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(nodeUrl, { method: 'POST', body: Buffer.concat(chunks), headers });
  response.writeHead(answer.status, headers).end(await answer.text());
}
