import { AggregationTemporality, InstrumentType, type MetricReader } from '@opentelemetry/sdk-metrics';

/**
 * Has a reader leave out gauges that are not observed: it would repeat their last value, which nothing vouches for any
 * more.
 */
export function withoutFormerGauges<Reader extends MetricReader>(reader: Reader): Reader {
  const others = reader.selectAggregationTemporality.bind(reader);
  reader.selectAggregationTemporality = (type) =>
    type === InstrumentType.OBSERVABLE_GAUGE ? AggregationTemporality.DELTA : others(type);
  return reader;
}
