import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { LASTING } from '@hindsight/kernel/test/support/lasting.ts';
import type { AddressInfo } from 'node:net';

/** A request as the service behind the gateway received it. */
export interface ReceivedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
}

/** A real HTTP service that records its requests and gives the test's answers. */
export interface RecordingService {
  readonly url: string;
  readonly received: ReceivedRequest[];
  answer: (request: IncomingMessage, response: ServerResponse) => void;
  close(): Promise<void>;
}

/** Starts the service on a free port of loopback. */
export async function startRecordingService(): Promise<RecordingService> {
  const server = createServer(LASTING, (request, response) => {
    service.received.push({ method: request.method ?? '', url: request.url ?? '', headers: request.headers });
    service.answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const service: RecordingService = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received: [],
    answer: (_request, response) => response.end('{}'),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return service;
}
