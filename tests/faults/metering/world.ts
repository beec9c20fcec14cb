import type { EventBus } from '@hindsight/bus/port.ts';
import type { Lifecycle } from '@hindsight/kernel/lifecycle.ts';
import type { KafkaServer } from '@hindsight/tools/servers/kafka.ts';

/** A broker, and what publishes on it; the address of a MongoDB for databases of one's own. */
export interface World {
  readonly kafka: KafkaServer;
  readonly mongodb: string;
  readonly bus: EventBus;
  readonly lifecycle: Lifecycle;
}
