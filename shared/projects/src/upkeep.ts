import { Job } from '@hindsight/kernel/job.ts';
import type { Platform } from '@hindsight/kernel/platform.ts';
import { AUDIT_KEEP_MS, type AuditStore } from './audit.ts';
import { createRelay, type ChangePublisher } from './outbox-relay.ts';
import type { ProjectRepository } from './ports.ts';
import type { Outbox } from './store.ts';

interface Deps extends Platform {
  readonly projects: Pick<ProjectRepository, 'removeExpiredKeys'>;
  readonly audit: Pick<AuditStore, 'removeBefore'>;
  readonly outbox: Outbox;
  readonly bus: ChangePublisher;
}

/** Milliseconds between passes. */
interface Pauses {
  readonly forgetEveryMs?: number;
  /** Of the publisher of changes; several a second by default. */
  readonly lookEveryMs?: number | undefined;
}

/** Expired keys no longer work; they remain stored, encrypted, for at most this long. */
const FORGET_EVERY_MS = 600_000;
/** Lines of the audit log that one pass removes. */
const FORGOTTEN_LINES = 1_000;

/**
 * Jobs that at least one process must run, and any number may: they publish changes, remove expired keys and old
 * lines of the audit log. Ends with the lifecycle.
 */
export function startProjectUpkeep(
  deps: Deps,
  { forgetEveryMs = FORGET_EVERY_MS, lookEveryMs }: Pauses = {},
): void {
  const { projects, audit, clock, ids, lifecycle, logger } = deps;
  createRelay({ ...deps, relayId: ids.next(), lookEveryMs }).startIn(lifecycle);
  new Job({
    name: 'forgetting of expired keys and old audit lines',
    everyMs: forgetEveryMs,
    firstAfterMs: forgetEveryMs,
    logger,
    async work() {
      await projects.removeExpiredKeys();
      await audit.removeBefore(clock.now() - AUDIT_KEEP_MS, FORGOTTEN_LINES);
    },
  }).startIn(lifecycle);
}
