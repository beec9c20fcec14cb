import type { Meter } from '@opentelemetry/api';

/** Instruments of a service, and how a scraper reads them. */
export interface Telemetry {
  /** Instruments of one service or part, by its name. */
  meter(name: string): Meter;
  /** True if spans are exported; if not, work that serves only them can be skipped. */
  readonly tracing: boolean;
  /** Everything measured so far, in Prometheus' text format. */
  metricsText(): Promise<string>;
  /** Flushes and ends the exporters. */
  stop(): Promise<void>;
}
