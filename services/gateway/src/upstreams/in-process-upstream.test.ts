import { expect, it } from '@jest/globals';
import type { HttpServer } from '@hindsight/http/types.ts';
import { until } from '@hindsight/kernel/test/support/until.ts';
import Fastify from 'fastify';
import { createInProcessUpstream } from './in-process-upstream.ts';
import { describeUpstream } from '../../test/upstreams/upstream.contract.ts';

describeUpstream('in the same process', async (service, limits) => createInProcessUpstream(service, limits));

it('sends nothing of an answer whose client leaves as it becomes whole', async () => {
  const app = Fastify() as unknown as HttpServer;
  const left = new Error('left');
  app.get('/', (_request, reply) => {
    reply.raw.once('finish', () => exchange.cancel(left));
    return {};
  });
  const got: unknown[] = [];
  const exchange = createInProcessUpstream(app).dispatch(
    { method: 'GET', path: '/', headers: [], body: null },
    {
      head: (status) => void got.push(status),
      data: (chunk) => got.push(chunk) > 0,
      end: () => void got.push('end'),
      fail: (error) => void got.push(error),
    },
  );
  await until('it is over', () => got.length > 0);
  expect(got).toEqual([left]);
  await app.close();
});
