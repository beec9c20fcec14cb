/** What the status page needs to know. */
import type { StatusModel } from './pages/status.ts';

/** A process whose `/readyz` is read. */
export interface StatusSource {
  /** As people call it. */
  readonly name: string;
  /** Its base URL. */
  readonly url: string;
}

/** Reads how everything is: within seconds, whatever hangs. Never throws. */
export type ReadStatus = () => Promise<Omit<StatusModel, 'frame'>>;
