import { join } from 'node:path';
import { TOPICS, type Topics } from '@hindsight/events/topics.ts';
import type { ReadinessCheck } from '@hindsight/kernel/readiness.ts';
import type { Telemetry } from '@hindsight/kernel/telemetry/port.ts';
import type { Platform } from '@hindsight/kernel/platform.ts';
import type { KafkaBus } from './kafka.ts';
import type { KafkaSecurity } from './kafka-client.ts';
import { measureBus } from './measured-bus.ts';
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
  /** The name by which other processes may expel the members of this one; none by default. */
  readonly process?: string | undefined;
}

interface Deps extends Omit<Platform, 'telemetry'> {
  readonly telemetry?: Pick<Telemetry, 'meter' | 'tracing'> | undefined;
}

export interface OpenBus {
  readonly bus: Bus;
  /** For `/readyz`. */
  readonly check: ReadinessCheck;
  /** Only on a broker, which keeps memberships. @see KafkaBus.expel */
  readonly expel?: KafkaBus<Topics>['expel'];
}

/** A broker that does not answer holds up the end of a process no longer than this. */
const PATIENCE_MS = 2_000;

/** Opens the bus: on Kafka where brokers are set, else in the embedded database. The lifecycle closes it. */
export async function openBus(settings: BusSettings, deps: Deps): Promise<OpenBus> {
  const name = settings.brokers === undefined ? 'bus (SQLite)' : 'Kafka';
  const plain = await connect(settings, deps);
  // Publishers have stopped, and keep what was not acknowledged.
  deps.lifecycle.onStop(name, () => plain.close(), PATIENCE_MS);
  const { telemetry } = deps;
  const system = settings.brokers === undefined ? 'hindsight' : 'kafka';
  const measured = telemetry ? measureBus(plain, system, telemetry.meter('hindsight.bus')) : plain;
  const bus = telemetry?.tracing ? traceBus(measured, system) : measured;
  const check = { name, check: () => bus.check().then(() => 'answers') };
  return { bus, check, ...('expel' in plain && { expel: (groups, names) => plain.expel(groups, names) }) };
}

/** Loads only the client that is needed. */
async function connect(settings: BusSettings, deps: Deps): Promise<Bus | KafkaBus<Topics>> {
  const { brokers, security, dataDir, publishTimeoutMs, process } = settings;
  const options = { topics: TOPICS, logger: deps.logger, clock: deps.clock, publishTimeoutMs };
  if (brokers !== undefined) {
    const { createKafkaBus } = await import('./kafka.ts');
    return createKafkaBus({ ...options, brokers, security, process });
  }
  const { createSqliteBus } = await import('./sqlite.ts');
  return createSqliteBus({ ...options, ids: deps.ids, path: join(dataDir, 'events.db') });
}
