import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import type { Readable, Writable } from 'node:stream';
import { createMcpServer } from './server.ts';
import type { Api } from './tool.ts';

/** Serves one client over a pair of streams: a message a line. Resolves when it has closed its side. */
export async function serveStdio(
  api: Api,
  { stdin, stdout }: { readonly stdin: Readable; readonly stdout: Writable },
): Promise<void> {
  const server = createMcpServer(api);
  const closed = new Promise<void>((resolve) => {
    stdin.once('end', resolve);
    stdin.once('close', resolve);
    api.signal.addEventListener('abort', () => resolve(), { once: true });
  });
  await server.connect(new StdioServerTransport(stdin, stdout));
  await closed;
  await server.close();
}
