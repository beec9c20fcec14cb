/**
 * Metrics and traces of a process. Metrics are always kept, for Prometheus to read; traces and metrics are
 * sent over OTLP only if the standard variables say so. Spans are made through OpenTelemetry's API, which
 * costs next to nothing while no SDK is registered.
 */
import { PrometheusExporter, PrometheusSerializer } from '@opentelemetry/exporter-prometheus';
import { defaultResource, resourceFromAttributes } from '@opentelemetry/resources';
import { MeterProvider } from '@opentelemetry/sdk-metrics';
import type { Lifecycle } from '../lifecycle.ts';
import type { Logger } from '../logger.ts';
import { withoutFormerGauges } from './former-gauges.ts';
import { measureRuntime } from './runtime-metrics.ts';
import { whatIsSent, type TelemetryConfig } from './settings.ts';
import type { Telemetry } from './port.ts';

/** Metrics alone, readable at `/metrics`. */
export function createTelemetry(service = 'hindsight'): Telemetry {
  const reader = createReader();
  const resource = defaultResource().merge(resourceFromAttributes({ 'service.name': service }));
  const provider = new MeterProvider({ resource, readers: [reader.exporter] });
  return {
    meter: (name) => provider.getMeter(name),
    tracing: false,
    metricsText: reader.text,
    stop: () => provider.shutdown(),
  };
}

/** The text for a scraper and the reader that produces it; no server is started. */
function createReader(): { readonly exporter: PrometheusExporter; readonly text: () => Promise<string> } {
  const exporter = withoutFormerGauges(new PrometheusExporter({ preventServerStart: true }));
  const serializer = new PrometheusSerializer();
  const read = async () => serializer.serialize((await exporter.collect()).resourceMetrics);
  let reading: Promise<string> | undefined;
  return {
    exporter,
    // Readings at the same time are one: the first would take the gauges' values from the others.
    text: () => (reading ??= read().finally(() => (reading = undefined))),
  };
}

interface Deps {
  readonly logger: Logger;
  readonly lifecycle: Lifecycle;
}

/**
 * Telemetry of a process, with its runtime's metrics. Open it first, so that it stops last and observes how
 * the others stop. The SDK is loaded only if something is exported.
 * @param service the process's name in traces and metrics, unless `OTEL_SERVICE_NAME` gives another
 */
export async function openTelemetry(
  service: string,
  config: TelemetryConfig,
  { logger, lifecycle }: Deps,
): Promise<Telemetry> {
  const telemetry = await createFor(service, config, logger);
  // It may have little time left after all others.
  lifecycle.onStop('telemetry', () => telemetry.stop(), Infinity);
  const stopMeasuring = measureRuntime(telemetry.meter('hindsight.runtime'));
  lifecycle.onStop('runtime metrics', stopMeasuring);
  return telemetry;
}

async function createFor(service: string, config: TelemetryConfig, logger: Logger): Promise<Telemetry> {
  const sent = whatIsSent(config);
  if (!sent.traces && !sent.metrics) return createTelemetry(service);
  const { startOtlp } = await import('./otlp.ts');
  const reader = createReader();
  const sdk = await startOtlp({ service, config, sent, logger, reader: reader.exporter });
  return { ...sdk, tracing: sent.traces, metricsText: reader.text };
}
