import { choice, integer, optionalConnectionString, type Config } from '../config.ts';

/**
 * The standard variables that decide whether and where telemetry is sent, as every process validates them
 * (https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/). The SDK itself reads these and
 * the other `OTEL_*` ones: names, samplers, headers, limits.
 */
export const TELEMETRY_SETTINGS = {
  OTEL_SDK_DISABLED: choice('whether nothing is sent whatever else is set', ['true', 'false'], 'false'),
  OTEL_EXPORTER_OTLP_ENDPOINT: endpoint('where traces and metrics are sent (OTLP); nowhere if not set'),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: endpoint('where traces are sent, if elsewhere'),
  OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: endpoint('where metrics are sent, if elsewhere'),
  OTEL_EXPORTER_OTLP_PROTOCOL: choice(
    'how they are sent',
    ['http/protobuf', 'http/json', 'grpc'],
    'http/protobuf',
  ),
  OTEL_TRACES_EXPORTER: choice('whether traces are sent', ['otlp', 'none'], 'otlp'),
  OTEL_METRICS_EXPORTER: choice('whether metrics are sent', ['otlp', 'none'], 'otlp'),
  OTEL_METRIC_EXPORT_INTERVAL: integer('milliseconds from one sending of metrics to the next', {
    min: 100,
    max: 3_600_000,
    default: 60_000,
  }),
};

/** The settings as `openTelemetry` takes them; every service's config has them. */
export type TelemetryConfig = Config<typeof TELEMETRY_SETTINGS>;

function endpoint(about: string): ReturnType<typeof optionalConnectionString> {
  return optionalConnectionString(about, ['http', 'https']);
}

/** The kinds of telemetry that the settings export. */
export function whatIsSent(config: TelemetryConfig): { readonly traces: boolean; readonly metrics: boolean } {
  const enabled = config.OTEL_SDK_DISABLED === 'false';
  const general = config.OTEL_EXPORTER_OTLP_ENDPOINT;
  const has = (own: string | undefined): boolean => enabled && (own ?? general) !== undefined;
  return {
    traces: config.OTEL_TRACES_EXPORTER === 'otlp' && has(config.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT),
    metrics: config.OTEL_METRICS_EXPORTER === 'otlp' && has(config.OTEL_EXPORTER_OTLP_METRICS_ENDPOINT),
  };
}
