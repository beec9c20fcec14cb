/** What the status page needs to know. */
import type { StatusModel } from './pages/status.ts';

/** A process whose `/readyz` is read. */
export interface StatusSource {
  /** Its name for people. */
  readonly name: string;
  /** Its base URL. */
  readonly url: string;
}

/** Reads the state of everything, within seconds even if something hangs. Never throws. */
export type ReadStatus = () => Promise<Omit<StatusModel, 'frame'>>;
