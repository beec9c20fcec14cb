/** Notices when a project's month reaches a share of its limit, from what the ledger has counted. */
import type { Clock } from '@hindsight/kernel/clock.ts';
import type { ProjectRepository } from '@hindsight/projects/ports.ts';
import { limitsOf } from '@hindsight/projects/project.ts';
import type { AlertStore } from '@hindsight/usage/alerts/ports.ts';
import { unitsAt } from '@hindsight/usage/alerts/thresholds.ts';
import { recordKey, dayOf, monthOf, periodOf } from '@hindsight/usage/calendar.ts';
import type { RecordName } from '@hindsight/usage/calendar.ts';
import { isKeyAccount } from '@hindsight/usage/key-account.ts';
import { LRUCache } from 'lru-cache';

/** Stores that alerts are decided from and kept in. */
export interface AlertDeps {
  readonly alerts: AlertStore;
  readonly projects: Pick<ProjectRepository, 'findById' | 'planChangedAt'>;
}

interface Deps extends AlertDeps {
  readonly clock: Clock;
  /** Called when an event waits to be published. */
  readonly onReached: () => void;
}

/** The plan and the thresholds of a project are looked up again after this long, should an event of a change be lost. */
const KNOWN_MS = 60_000;
const MAX_KNOWN = 50_000;
/** Usage of a month's last minutes is counted in the next one; that of a gateway whose clock is ahead, before its month begins here. */
const AROUND_MONTH_MS = 3_600_000;

/** The watch of one process; several may watch the same projects. */
export class ThresholdWatch {
  readonly #deps: Deps;
  /** Units at which a record reaches its next threshold; Infinity once it has reached all. */
  readonly #nextAt: LRUCache<string, number>;
  /** Rises with each reported change: what was read before a change is not remembered after it. */
  #changes = 0;

  constructor(deps: Deps) {
    this.#deps = deps;
    const bounds = { maxSize: MAX_KNOWN, sizeCalculation: () => 1 };
    this.#nextAt = new LRUCache({ ...bounds, ttl: KNOWN_MS, ttlResolution: 0, perf: deps.clock });
  }

  /**
   * To be called after these records have changed and before the events are acknowledged: when it resolves, what they
   * have reached is stored with its events. Repetitions change nothing. @throws {StoreUnavailable}
   */
  async check(records: readonly RecordName[]): Promise<void> {
    const { alerts, clock } = this.#deps;
    const now = clock.now();
    // The limit of a past month is not known any more: an alert could name one that the project never had in it.
    const months = [now - AROUND_MONTH_MS, now + AROUND_MONTH_MS].map((at) => monthOf(dayOf(at)));
    // Units on a key's account count on its project too.
    const current = records.filter(({ project, month }) => !isKeyAccount(project) && months.includes(month));
    if (current.length === 0) return;
    const counted = await alerts.counted(current);
    for (const [i, record] of current.entries()) {
      const requests = counted[i] ?? 0;
      const nextAt = this.#nextAt.get(recordKey(record)) ?? 0;
      if (requests >= nextAt) await this.#decide(record, requests, now);
    }
  }

  /** To be called after a project's plan or thresholds have changed. @throws {StoreUnavailable} */
  async checkAgain(project: string): Promise<void> {
    this.#changes++;
    const record = { project, month: monthOf(dayOf(this.#deps.clock.now())) };
    this.#nextAt.delete(recordKey(record));
    await this.check([record]);
  }

  /** The same, unless this process remembers nothing of the project. @throws {StoreUnavailable} */
  async checkRemembered(project: string): Promise<void> {
    this.#changes++;
    const month = monthOf(dayOf(this.#deps.clock.now()));
    if (this.#nextAt.has(recordKey({ project, month }))) await this.checkAgain(project);
  }

  async #decide({ project, month }: RecordName, requests: number, now: number): Promise<void> {
    const { alerts, projects, onReached } = this.#deps;
    const before = this.#changes;
    const [found, thresholds] = await Promise.all([projects.findById(project), alerts.thresholdsOf(project)]);
    let nextAt = Infinity;
    if (found !== null && (await this.#hasKnownLimit(project, month, now))) {
      const { monthlyLimit: limit } = limitsOf(found);
      for (const threshold of thresholds) {
        const units = unitsAt(threshold, limit);
        if (requests < units) nextAt = Math.min(nextAt, units);
        else if (await alerts.reach({ project, month, threshold, requests, limit, at: now })) onReached();
      }
    }
    if (before === this.#changes) this.#nextAt.set(recordKey({ project, month }), nextAt);
  }

  /**
   * False for a past month whose plan has changed since. To be called once the project is read: a change is in the audit log
   * before it takes effect.
   */
  async #hasKnownLimit(project: string, month: string, now: number): Promise<boolean> {
    const { end } = periodOf(Date.parse(month));
    return now < end || ((await this.#deps.projects.planChangedAt(project, end)) ?? 0) < end;
  }
}
