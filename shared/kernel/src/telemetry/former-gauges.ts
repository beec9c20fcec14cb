import { AggregationTemporality, InstrumentType, type MetricReader } from '@opentelemetry/sdk-metrics';

/**
 * Has a reader leave out gauges that are not observed: it would repeat their last value, which nothing vouches for any
 * more. Of two readers, each also reports once what the other has observed since its own last reading: the SDK gives every
 * observation to both.
 */
export function withoutFormerGauges<Reader extends MetricReader>(reader: Reader): Reader {
  const others = reader.selectAggregationTemporality.bind(reader);
  reader.selectAggregationTemporality = (type) =>
    type === InstrumentType.OBSERVABLE_GAUGE ? AggregationTemporality.DELTA : others(type);
  return reader;
}
