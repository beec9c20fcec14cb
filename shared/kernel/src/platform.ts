import type { Clock } from './clock.ts';
import type { Ids } from './ids.ts';
import type { Lifecycle } from './lifecycle.ts';
import type { Logger } from './logger.ts';
import type { Telemetry } from './telemetry/port.ts';

/** The parts of a process that services and packages are given. */
export interface Platform {
  readonly logger: Logger;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly lifecycle: Lifecycle;
  readonly telemetry?: Telemetry | undefined;
}
