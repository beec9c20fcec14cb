import type { Meter } from '@opentelemetry/api';

/** What a service measures with, and how a scraper reads it. */
export interface Telemetry {
  /** Instruments of one service or part, by its name. */
  meter(name: string): Meter;
  /** Whether spans go anywhere: what is only for them can be left out otherwise. */
  readonly tracing: boolean;
  /** Everything measured so far, in Prometheus' text format. */
  metricsText(): Promise<string>;
  /** Flushes and ends the exporters. */
  stop(): Promise<void>;
}
