import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import { createMcpServer } from './server.ts';
import type { Api } from './tool.ts';

/**
 * Answers one message over Streamable HTTP: JSON in, JSON out. There are no sessions, so any process can answer any
 * message.
 * @param api what its tools ask with; its signal ends the work
 */
export async function answerOverHttp(api: Api, request: Request): Promise<Response> {
  const server = createMcpServer(api);
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  const left = new Promise<never>((_resolve, reject) => {
    api.signal.addEventListener('abort', () => reject(api.signal.reason as Error), { once: true });
  });
  try {
    await server.connect(transport);
    // Where the server is closed before its answer is complete, the transport never answers.
    return await Promise.race([transport.handleRequest(request), left]);
  } finally {
    left.catch(() => undefined);
    await server.close();
  }
}
