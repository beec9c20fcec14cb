import { expect, it } from '@jest/globals';
import Fastify from 'fastify';
import { Readable } from 'node:stream';
import { inProcessService } from './in-process-service.ts';
import type { HttpServer } from './types.ts';

it('reports an answer that broke off as an unavailable service', async () => {
  const app = Fastify();
  app.get('/rows', () =>
    Readable.from(
      (async function* () {
        yield 'a row\n';
        throw new Error('the node has failed');
      })(),
    ),
  );
  const service = inProcessService(() => app as unknown as HttpServer);
  const asked = service.ask({ method: 'GET', path: '/rows', signal: new AbortController().signal });
  await expect(asked).rejects.toMatchObject({ code: 'service_unavailable', statusCode: 503 });
  await app.close();
});

it.each(['/early', '/late'])('gives a caller that leaves its own reason, %s', async (path) => {
  const left = new AbortController();
  const reason = new Error('the caller has left');
  const app = Fastify();
  app.get('/early', () => {
    left.abort(reason);
    return new Promise(() => undefined);
  });
  app.get('/late', (_request, reply) => {
    // The answer is whole by then, and its caller has not been told.
    reply.raw.once('finish', () => left.abort(reason));
    return {};
  });
  const service = inProcessService(() => app as unknown as HttpServer);
  await expect(service.ask({ method: 'GET', path, signal: left.signal })).rejects.toBe(reason);
  await app.close();
});
