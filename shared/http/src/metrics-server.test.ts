import { createLifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { expect, it } from '@jest/globals';
import { startMetricsServer } from './metrics-server.ts';

it('serves metrics by the name of their format, until the process stops', async () => {
  const lifecycle = createLifecycle(createLogger({ name: 'test', level: 'silent' }));
  const metricsText = async (): Promise<string> => 'a 1\n';
  const url = await startMetricsServer({ metricsText }, lifecycle, { host: '127.0.0.1', port: 0 });
  const answer = await fetch(`${url}/metrics`);
  // Prometheus reads no other type unless it is told to.
  expect(answer.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4(?:;|$)/);
  expect(await answer.text()).toBe('a 1\n');
  expect(await lifecycle.shutdown('test')).toBe(0);
  await expect(fetch(`${url}/metrics`)).rejects.toThrow();
});
