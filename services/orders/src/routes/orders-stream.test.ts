import { expect, it } from '@jest/globals';
import { createHttpServer } from '@hindsight/http/server.ts';
import { createLifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { StoreUnavailable } from '@hindsight/stores/unavailable.ts';
import { PublishedFeed } from '../published-feed.ts';
import { addOrdersStream } from './orders-stream.ts';

it('a stream of orders is a 503 with Retry-After while its store is unavailable', async () => {
  const logger = createLogger({ name: 'test', level: 'silent' });
  const lifecycle = createLifecycle(logger);
  const unavailable = (): Promise<never> =>
    Promise.reject(new StoreUnavailable('MongoDB', new Error('secret internals at 10.0.0.1')));
  const feed = new PublishedFeed({ head: unavailable, read: unavailable }, 250);
  const app = createHttpServer({ logger, lifecycle });
  const chains = new Map([['eth-mainnet', { name: 'eth-mainnet', chainId: 1 }]]);
  addOrdersStream(app, { chains, feed, keepAliveMs: 50, readable: 'any' });
  for (const query of ['', '?last_event_id=0', '?last_event_id=/orders/x:7']) {
    const answer = await app.inject(`/v1/eth-mainnet/orders/stream${query}`);
    expect([answer.statusCode, answer.headers['retry-after']]).toEqual([503, '2']);
    expect(answer.json()).toMatchObject({
      code: 'store_unavailable',
      message: 'Orders cannot be read at the moment.',
    });
  }
  await app.close();
});
