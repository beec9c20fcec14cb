import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { createPoolUpstream, type Upstream } from '@hindsight/shared/http/upstream.ts';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { startRecordingService, type RecordingService } from '../testing/recording-service.ts';
import { forward, type Answering } from './forward.ts';

let service: RecordingService;
let upstream: Upstream;
let server: Server;

beforeAll(async () => {
  service = await startRecordingService();
  upstream = createPoolUpstream({ origin: service.url, headersTimeout: 60_000 });
  server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(async () => {
  server.close();
  await upstream.close();
  await service.close();
});
beforeEach(() => void (service.received.length = 0));

/** A response whose client has sent a request and, as far as the server knows, left. */
async function abandonedResponse(): Promise<Answering['response']> {
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1', () =>
    client.write('GET / HTTP/1.1\r\nhost: gateway\r\n\r\n'),
  );
  const [, response] = (await once(server, 'request')) as [unknown, Answering['response']];
  const closed = once(response, 'close');
  client.destroy();
  await closed;
  return response;
}

it('a client who left while it was admitted has no service asked, and nothing counted', async () => {
  const response = await abandonedResponse();
  const told: number[] = [];
  const settlement = { answered: (status: number) => void told.push(status) };
  const request = { method: 'GET', path: '/v1/x', headers: [], body: null };
  await forward(upstream, request, { response, headers: [], settlement });
  expect([service.received, told]).toEqual([[], []]);
});
