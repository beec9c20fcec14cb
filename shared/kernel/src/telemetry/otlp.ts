/** Sends traces and metrics over OTLP. Loaded only if configured: the SDK takes a quarter of a second to load. */
import { diag, DiagLogLevel, metrics } from '@opentelemetry/api';
import { defaultResource, resourceFromAttributes } from '@opentelemetry/resources';
import { PeriodicExportingMetricReader, type IMetricReader } from '@opentelemetry/sdk-metrics';
import { NodeSDK } from '@opentelemetry/sdk-node';
import { settledWithin } from '../deadline.ts';
import type { Logger } from '../logger.ts';
import { withoutFormerGauges } from './former-gauges.ts';
import type { Telemetry } from './port.ts';
import type { TelemetryConfig } from './settings.ts';

interface Deps {
  readonly service: string;
  readonly config: TelemetryConfig;
  readonly sent: { readonly traces: boolean; readonly metrics: boolean };
  readonly logger: Logger;
  readonly reader: IMetricReader;
}

/** A receiver that hangs must not keep a process from ending. */
const FLUSH_MS = 2_000;
const EXPORT_TIMEOUT_MS = 30_000;
/** The SDK complains at every failed attempt; once in this time is enough to be seen. */
const COMPLAINT_EVERY_MS = 60_000;

const EXPORTERS = {
  'http/protobuf': () => import('@opentelemetry/exporter-metrics-otlp-proto'),
  'http/json': () => import('@opentelemetry/exporter-metrics-otlp-http'),
  grpc: () => import('@opentelemetry/exporter-metrics-otlp-grpc'),
};

/** Registers the SDK with OpenTelemetry's API, for the whole process. */
export async function startOtlp({
  service,
  config,
  sent,
  logger,
  reader,
}: Deps): Promise<Pick<Telemetry, 'meter' | 'stop'>> {
  logComplaints(logger);
  const readers = sent.metrics ? [reader, await createSender(config)] : [reader];
  const sdk = new NodeSDK({
    // `OTEL_SERVICE_NAME` and `OTEL_RESOURCE_ATTRIBUTES`, where set, are merged over it.
    resource: defaultResource().merge(resourceFromAttributes({ 'service.name': service })),
    metricReaders: readers,
    logRecordProcessors: [],
    ...(sent.traces ? {} : { spanProcessors: [] }),
  });
  sdk.start();
  // Undelivered telemetry was logged before; it is not a failure of the process.
  const stop = async (): Promise<void> => void (await settledWithin(sdk.shutdown(), FLUSH_MS));
  return { meter: (name) => metrics.getMeter(name), stop };
}

async function createSender(config: TelemetryConfig): Promise<IMetricReader> {
  const interval = config.OTEL_METRIC_EXPORT_INTERVAL;
  const { OTLPMetricExporter } = await EXPORTERS[config.OTEL_EXPORTER_OTLP_PROTOCOL]();
  const sender = new PeriodicExportingMetricReader({
    exporter: new OTLPMetricExporter(),
    exportIntervalMillis: interval,
    exportTimeoutMillis: Math.min(interval, EXPORT_TIMEOUT_MS),
  });
  return withoutFormerGauges(sender);
}

/** The SDK's text may quote the endpoint with its credentials: only the system's error code is kept. */
function logComplaints(logger: Logger): void {
  let last = -Infinity;
  const complain = (...words: unknown[]): void => {
    if (performance.now() - last < COMPLAINT_EVERY_MS) return;
    last = performance.now();
    const reason = /\bE[A-Z]{4,}\b/.exec(words.map(String).join(' '))?.[0] ?? 'refused or too slow';
    logger.warn({ reason }, 'telemetry could not be sent');
  };
  const ignore = (): void => undefined;
  diag.setLogger(
    { error: complain, warn: complain, info: ignore, debug: ignore, verbose: ignore },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
}
