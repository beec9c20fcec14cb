import { expect, it, jest } from '@jest/globals';
import { MeterProvider } from '@opentelemetry/sdk-metrics';
import { load } from '../config.ts';
import { createLifecycle } from '../lifecycle.ts';
import { createLogger } from '../logger.ts';
import { TELEMETRY_SETTINGS } from './settings.ts';
import { createTelemetry, openTelemetry } from './telemetry.ts';

it('readings at the same moment have the same gauges: none takes them from the others', async () => {
  const telemetry = createTelemetry();
  const depth = telemetry.meter('test').createObservableGauge('depth');
  depth.addCallback((result) => result.observe(7));
  const texts = await Promise.all([telemetry.metricsText(), telemetry.metricsText()]);
  for (const text of texts) expect(text).toMatch(/^depth\{.*\} 7$/m);
  await telemetry.stop();
});

it('that is not sent in the time that is left to it is no failure of the process', async () => {
  const logger = createLogger({ name: 'test', level: 'silent' });
  const lifecycle = createLifecycle(logger, 10);
  await openTelemetry('test', load(TELEMETRY_SETTINGS, {}), { logger, lifecycle });
  const stop = jest.spyOn(MeterProvider.prototype, 'shutdown').mockReturnValue(new Promise(() => undefined));
  expect(await lifecycle.shutdown('test')).toBe(0);
  stop.mockRestore();
});
