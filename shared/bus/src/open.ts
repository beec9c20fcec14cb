import { join } from 'node:path';
import type { Clock } from '@hindsight/kernel/clock.ts';
import { TOPICS } from '@hindsight/events/topics.ts';
import type { ReadinessCheck } from '@hindsight/kernel/readiness.ts';
import type { Ids } from '@hindsight/kernel/ids.ts';
import type { Lifecycle } from '@hindsight/kernel/lifecycle.ts';
import type { Logger } from '@hindsight/kernel/logger.ts';
import type { KafkaSecurity } from './kafka-client.ts';
import type { Bus } from './port.ts';
import { traceBus } from './traced-bus.ts';

interface BusSettings {
  /** `KAFKA_BROKERS`. */
  readonly brokers?: readonly string[] | undefined;
  /** `KAFKA_TLS` and what follows it. */
  readonly security?: KafkaSecurity | undefined;
  /** `DATA_DIR`; used where there are no brokers. */
  readonly dataDir: string;
  /** A publish that takes longer is rejected; the bus's own limit by default. */
  readonly publishTimeoutMs?: number;
}

interface Platform {
  readonly logger: Logger;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly lifecycle: Lifecycle;
  /** Whether spans go anywhere. */
  readonly telemetry?: { readonly tracing: boolean } | undefined;
}

/** The bus that the settings name. */
export interface OpenBus {
  readonly bus: Bus;
  /** For `/readyz`. */
  readonly check: ReadinessCheck;
}

/** Opens the bus: on Kafka where brokers are set, else in the embedded database. It is closed with the lifecycle. */
export async function openBus(settings: BusSettings, platform: Platform): Promise<OpenBus> {
  const name = settings.brokers === undefined ? 'bus (SQLite)' : 'Kafka';
  const plain = await connect(settings, platform);
  platform.lifecycle.onStop(name, () => plain.close());
  const bus = platform.telemetry?.tracing ? traceBus(plain) : plain;
  return { bus, check: { name, check: () => bus.check().then(() => 'answers') } };
}

/** Only the client that is wanted is loaded. */
async function connect(settings: BusSettings, platform: Platform): Promise<Bus> {
  const { brokers, security, dataDir, publishTimeoutMs } = settings;
  const limits = publishTimeoutMs === undefined ? {} : { publishTimeoutMs };
  const options = { topics: TOPICS, logger: platform.logger, clock: platform.clock, ...limits };
  if (brokers !== undefined) {
    const { createKafkaBus } = await import('./kafka.ts');
    return createKafkaBus({ ...options, brokers, security });
  }
  const { createSqliteBus } = await import('./sqlite.ts');
  return createSqliteBus({ ...options, ids: platform.ids, path: join(dataDir, 'events.db') });
}
