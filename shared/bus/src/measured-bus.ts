import type { Attributes, Histogram, Meter } from '@opentelemetry/api';
import type { TopicRegistry } from '@hindsight/events/topic.ts';
import { recordDuration } from '@hindsight/kernel/telemetry/record-duration.ts';
import type { Bus } from './port.ts';

/** Seconds, as OpenTelemetry advises for messaging. */
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];

/**
 * A bus that measures publishes and handlers, by OpenTelemetry's conventions for messaging.
 * @param system the log's name in those conventions
 */
export function measureBus<Registry extends TopicRegistry>(
  bus: Bus<Registry>,
  system: string,
  meter: Meter,
): Bus<Registry> {
  const histogram = (name: string, description: string): Histogram =>
    meter.createHistogram(name, { unit: 's', description, advice: { explicitBucketBoundaries: BUCKETS } });
  const counter = (name: string, description: string) =>
    meter.createCounter(name, { unit: '{message}', description });
  const sending = histogram(
    'messaging.client.operation.duration',
    'Publishes, until their events are on disk',
  );
  const processing = histogram('messaging.process.duration', 'Handlers of events, one batch each');
  const sent = counter('messaging.client.sent.messages', 'Events published');
  const consumed = counter('messaging.client.consumed.messages', 'Events handled, repetitions included');
  const about = (topic: string, operation: string): Attributes => ({
    'messaging.system': system,
    'messaging.destination.name': topic,
    'messaging.operation.name': operation,
  });
  return {
    ...bus,
    async publish(topic, events) {
      const attributes = about(topic, 'send');
      await recordDuration(sending, attributes, () => bus.publish(topic, events));
      sent.add(events.length, attributes);
    },
    subscribe(options, handler) {
      const measured: typeof handler = async (events, batch) => {
        const attributes = about(batch.topic, 'process');
        await recordDuration(processing, attributes, () => handler(events, batch));
        consumed.add(events.length, attributes);
      };
      return bus.subscribe(options, measured);
    },
  };
}
