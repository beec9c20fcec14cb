import type { Meter } from '@opentelemetry/api';
import { PrometheusExporter, PrometheusSerializer } from '@opentelemetry/exporter-prometheus';
import { MeterProvider } from '@opentelemetry/sdk-metrics';

/** What a service measures with, and how a scraper reads it. */
export interface Telemetry {
  /** Instruments of one service or part, by its name. */
  meter(name: string): Meter;
  /** Everything measured so far, in Prometheus' text format. */
  metricsText(): Promise<string>;
  /** Flushes and ends the exporters. */
  stop(): Promise<void>;
}

/** Metrics on OpenTelemetry's API, readable at `/metrics`. */
export function createTelemetry(): Telemetry {
  const exporter = new PrometheusExporter({ preventServerStart: true });
  const provider = new MeterProvider({ readers: [exporter] });
  const serializer = new PrometheusSerializer();
  return {
    meter: (name) => provider.getMeter(name),
    async metricsText() {
      const { resourceMetrics } = await exporter.collect();
      return serializer.serialize(resourceMetrics);
    },
    stop: () => provider.shutdown(),
  };
}
