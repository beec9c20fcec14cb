/** A proxy whose connections break. */
import { once } from 'node:events';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * Stands before the API. `cut` returns the number of bytes after which an answer is cut off; undefined lets
 * it pass.
 */
export async function cutAnswers(
  api: string,
  cut: (number: number) => number | undefined,
): Promise<{ url: string; server: Server; requests: () => number }> {
  let requests = 0;
  const server = createServer((incoming, answer) => {
    const most = cut((requests += 1));
    const { method, headers, url } = incoming;
    const onwards = request(
      api + url,
      { method, headers: { ...headers, host: 'api', 'accept-encoding': 'identity' } },
      (response) => {
        answer.writeHead(response.statusCode ?? 502, { ...response.headers, connection: 'close' });
        let sent = 0;
        response.on('data', (chunk: Buffer) => {
          if (answer.destroyed) return;
          const rest = most === undefined ? chunk.length : Math.max(most - sent, 0);
          answer.write(chunk.subarray(0, rest));
          sent += chunk.length;
          if (most !== undefined && sent >= most) setTimeout(() => answer.destroy(), 20);
        });
        response.on('end', () => (most === undefined ? answer.end() : undefined));
        response.on('error', () => answer.destroy());
      },
    );
    onwards.on('error', () => answer.destroy());
    incoming.pipe(onwards);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, server, requests: () => requests };
}
