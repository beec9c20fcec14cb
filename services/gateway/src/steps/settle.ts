import { unavailable } from '@hindsight/shared/errors.ts';
import { counts } from '../domain/counts.ts';
import type { LeasedQuota } from '../leased-quota.ts';
import type { Admission } from '../quota-account.ts';
import type { UsageSpool } from '../ports.ts';

const RETRY_AFTER_SECONDS = 2;

/** What the step stands on. */
export interface Settling {
  readonly quota: LeasedQuota;
  readonly spool: UsageSpool;
}

/** One admitted request, to be settled once. */
export class Settlement {
  readonly #parts: Settling;
  readonly #admission: Admission;
  readonly #projectId: string;
  readonly #endpoint: string;
  #settled = false;

  constructor(parts: Settling, admission: Admission, projectId: string, endpoint: string) {
    this.#parts = parts;
    this.#admission = admission;
    this.#projectId = projectId;
    this.#endpoint = endpoint;
  }

  /**
   * The last step, before the answer goes out: what counts is on disk when this resolves. Undefined where nothing counts,
   * and nothing is to be waited for.
   * @throws {ApiError} 503 when it could not be recorded: the answer must not go out, and nothing is counted
   */
  answered(statusCode: number): Promise<void> | undefined {
    if (!counts(statusCode)) return void this.release();
    this.#settled = true;
    const { quota, spool } = this.#parts;
    const { day } = this.#admission;
    return spool.record({ projectId: this.#projectId, day, endpoint: this.#endpoint }).then(
      () => quota.done(this.#admission, true),
      (error: unknown) => {
        quota.done(this.#admission, false);
        throw unavailable('Usage cannot be recorded at the moment.', RETRY_AFTER_SECONDS, error);
      },
    );
  }

  /** There was no answer, or none that counts: the unit is free again. Does nothing when it is settled. */
  release(): void {
    if (this.#settled) return;
    this.#settled = true;
    this.#parts.quota.done(this.#admission, false);
  }
}
