import type { Clock } from '../clock.ts';
import type { Ids } from '../ids.ts';
import type { Lifecycle } from '../lifecycle.ts';
import type { Logger } from '../logger.ts';
import { AUDIT_KEEP_MS, type AuditStore } from './audit.ts';
import { createOutboxRelay, type ChangePublisher } from './outbox-relay.ts';
import type { ProjectRepository } from './ports.ts';
import type { Outbox } from './store.ts';

interface Parts {
  readonly projects: Pick<ProjectRepository, 'removeExpiredKeys'>;
  readonly audit: Pick<AuditStore, 'removeBefore'>;
  readonly outbox: Outbox;
  readonly bus: ChangePublisher;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  readonly lifecycle: Lifecycle;
}

/** Expired keys work no longer anyway; this is how long they are still kept, encrypted. */
const FORGET_EVERY_MS = 600_000;
/** Lines of the audit log that are forgotten in one go. */
const FORGOTTEN_LINES = 1_000;

/**
 * What some process has to do for projects all the time, and any number may: publish changes, forget expired keys and old lines of the audit log.
 * Ends with the lifecycle.
 */
export function startProjectUpkeep(parts: Parts, forgetEveryMs = FORGET_EVERY_MS): void {
  const { projects, audit, clock, lifecycle, logger } = parts;
  const relay = createOutboxRelay({ ...parts, relayId: parts.ids.next() });
  relay.start();
  const forgetting = setInterval(() => {
    Promise.all([
      projects.removeExpiredKeys(),
      audit.removeBefore(clock.now() - AUDIT_KEEP_MS, FORGOTTEN_LINES),
    ]).catch((err: unknown) => {
      logger.warn({ err }, 'expired keys or old audit lines could not be forgotten; trying again later');
    });
  }, forgetEveryMs);
  forgetting.unref();
  lifecycle.onStop('upkeep of projects', async () => {
    clearInterval(forgetting);
    await relay.stop();
  });
}
