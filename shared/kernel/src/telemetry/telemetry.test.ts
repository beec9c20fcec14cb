import { expect, it } from '@jest/globals';
import { createTelemetry } from './telemetry.ts';

it('readings at the same moment have the same gauges: none takes them from the others', async () => {
  const telemetry = createTelemetry();
  const depth = telemetry.meter('test').createObservableGauge('depth');
  depth.addCallback((result) => result.observe(7));
  const texts = await Promise.all([telemetry.metricsText(), telemetry.metricsText()]);
  for (const text of texts) expect(text).toMatch(/^depth\{.*\} 7$/m);
  await telemetry.stop();
});
