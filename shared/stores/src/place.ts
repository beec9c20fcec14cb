import type { Telemetry } from '@hindsight/kernel/telemetry/port.ts';

/** The place of a package's data: MongoDB where it is set, else an embedded database. */
export interface StorePlace {
  /** `DATA_DIR`, the folder of the embedded databases. */
  readonly dataDir: string;
  /** `MONGODB_URL`. */
  readonly mongodbUrl?: string | undefined;
  /** Measures MongoDB's commands. */
  readonly telemetry?: Telemetry | undefined;
}
