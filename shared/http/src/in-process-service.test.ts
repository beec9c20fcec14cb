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
