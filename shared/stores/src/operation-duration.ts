import type { Telemetry } from '@hindsight/kernel/telemetry/port.ts';
import type { Histogram } from '@opentelemetry/api';

/** Seconds, as OpenTelemetry advises for databases. */
const BUCKETS = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10];

/** Histogram of a database's response times, by OpenTelemetry's conventions for database clients. */
export function operationDuration(telemetry: Telemetry | undefined): Histogram | undefined {
  return telemetry?.meter('hindsight.stores').createHistogram('db.client.operation.duration', {
    unit: 's',
    description: 'Commands of a database, until they are answered',
    advice: { explicitBucketBoundaries: BUCKETS },
  });
}
