import { createLifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { createTelemetry } from '@hindsight/kernel/telemetry/telemetry.ts';
import { recordSpans } from '@hindsight/kernel/test/support/recorded-spans.ts';
import { until } from '@hindsight/kernel/test/support/until.ts';
import { describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { connect } from 'node:net';
import { createHttpServer, listen } from './server.ts';

const logger = createLogger({ name: 'test', level: 'silent' });

/** A server whose `/slow` waits until its caller has left. */
function world() {
  const lifecycle = createLifecycle(logger);
  const telemetry = createTelemetry();
  const app = createHttpServer({ logger, lifecycle, observed: { service: 'test', telemetry } });
  app.get('/quick', () => ({ answer: 'x'.repeat(5_000) }));
  app.get('/slow', async (_request, reply) => {
    await once(reply.raw, 'close');
    return {};
  });
  const statuses = async (): Promise<string[]> => {
    const counts = /^http_server_request_duration_count\{.*status_code="(\d+)",http_route="([^"]+)"/gm;
    return [...(await telemetry.metricsText()).matchAll(counts)].map(
      ([, status, route]) => `${status} ${route}`,
    );
  };
  return { app, lifecycle, telemetry, statuses };
}

describe('the duration of requests', () => {
  it('has the status of an answer that was given within the process', async () => {
    const { app, telemetry, statuses } = world();
    await app.inject({ url: '/quick' });
    expect(await statuses()).toEqual(['200 /quick']);
    await telemetry.stop();
  });

  it('has 499 where the client has left', async () => {
    const { app, lifecycle, telemetry, statuses } = world();
    const { port } = new URL(await listen(app, lifecycle, 'test', { host: '127.0.0.1', port: 0 }));
    const socket = connect(Number(port), '127.0.0.1');
    const asked = once(app.server, 'request');
    socket.write('GET /slow HTTP/1.1\r\nhost: a\r\n\r\n');
    await asked;
    socket.destroy();
    while ((await statuses()).length === 0) await new Promise(setImmediate);
    expect(await statuses()).toEqual(['499 /slow']);
    await lifecycle.shutdown('end of test');
    await telemetry.stop();
  });
});

it('requests are labelled with known networks, and with no other text of their path', async () => {
  const lifecycle = createLifecycle(logger);
  const telemetry = createTelemetry();
  const observed = { service: 'test', telemetry, networks: ['one-net', 'other-net'] };
  const app = createHttpServer({ logger, lifecycle, observed });
  app.get('/v1/:network/block', () => ({}));
  app.get('/v1/networks', () => ({}));
  app.get('/docs/:page', () => ({}));
  const others = ['/v1/no-net/block', '/v1/networks', '/v1/one-net/nothing', '/docs/one-net'];
  for (const url of ['/v1/one-net/block?a=1', '/v1/other-net/block', ...others]) await app.inject({ url });
  const samples = /^http_server_request_duration_count\{(.*)\}/gm;
  const labels = [...(await telemetry.metricsText()).matchAll(samples)].map(
    ([, text = '']) => /hindsight_network="([^"]+)"/.exec(text)?.[1],
  );
  expect(labels.toSorted()).toEqual(['one-net', 'other-net', ...others.map(() => undefined)]);
  await telemetry.stop();
});

it('polls of health monitors leave no traces', async () => {
  const spans = recordSpans();
  const telemetry = createTelemetry();
  const observed = { service: 'test', telemetry: { ...telemetry, tracing: true } };
  const app = createHttpServer({ logger, lifecycle: createLifecycle(logger), observed });
  app.get('/quick', () => ({}));
  for (const url of ['/livez', '/readyz', '/quick']) await app.inject({ url });
  await until('a request is traced', () => spans.ended.length > 0);
  expect(spans.ended.map(({ name }) => name)).toEqual(['GET /quick']);
  await spans.stop();
  await telemetry.stop();
});

it('requests are counted while they are under way', async () => {
  const { app, lifecycle, telemetry } = world();
  const active = async (): Promise<string | undefined> =>
    /^http_server_active_requests\{http_request_method="GET",.*\} (\d+)$/m.exec(
      await telemetry.metricsText(),
    )?.[1];
  const { port } = new URL(await listen(app, lifecycle, 'test', { host: '127.0.0.1', port: 0 }));
  const socket = connect(Number(port), '127.0.0.1');
  const asked = once(app.server, 'request');
  socket.write('GET /slow HTTP/1.1\r\nhost: a\r\n\r\n');
  await asked;
  expect(await active()).toBe('1');
  socket.destroy();
  await until('it has ended', async () => (await active()) === '0');
  await lifecycle.shutdown('end of test');
  await telemetry.stop();
});
