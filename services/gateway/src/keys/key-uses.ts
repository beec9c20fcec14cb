/** Last uses of keys, to the minute: collected here and written once a minute, off the path of requests. */
import { Job } from '@hindsight/kernel/job.ts';
import type { Logger } from '@hindsight/kernel/logger.ts';
import { partsOf } from '@hindsight/kernel/parts.ts';
import type { FoundByKey, ProjectRepository } from '@hindsight/projects/ports.ts';
import { oldSecretId, type ProjectKey } from '@hindsight/projects/project-key.ts';
import type { KeyUse } from '@hindsight/projects/store.ts';

const MINUTE_MS = 60_000;
/** Most keys whose uses wait to be written. Further uses are dropped; the key's next one may be noted. */
const MAX_WAITING = 20_000;
/** Of one write. */
const USES_AT_ONCE = 500;

export class KeyUses {
  readonly #store: Pick<ProjectRepository, 'noteKeyUses'>;
  readonly #job: Job;
  /** The last minute noted, by the cached key: a busy key costs one lookup a request. */
  readonly #noted = new WeakMap<ProjectKey, number>();
  readonly #waiting = new Map<string, KeyUse>();

  constructor(store: Pick<ProjectRepository, 'noteKeyUses'>, logger: Logger) {
    this.#store = store;
    this.#job = new Job({
      name: 'writing of the last uses of keys',
      work: () => this.write(),
      everyMs: MINUTE_MS,
      firstAfterMs: MINUTE_MS,
      logger,
    });
  }

  start(): void {
    this.#job.start();
  }

  /** A request was admitted with this key. A use of its old secret is noted beside it. */
  note({ id: projectId, key, keyExpiresAt }: FoundByKey, now: number): void {
    const at = now - (now % MINUTE_MS);
    if (this.#noted.get(key) === at) return;
    const old = keyExpiresAt === null ? [] : [oldSecretId(key.id, keyExpiresAt)];
    for (const keyId of [key.id, ...old]) {
      const name = `${projectId}|${keyId}`;
      if (this.#waiting.size >= MAX_WAITING && !this.#waiting.has(name)) return;
      this.#waiting.set(name, { projectId, keyId, at });
    }
    this.#noted.set(key, at);
  }

  /** Writes the waiting uses. Those that cannot be written wait for the next time. */
  async write(): Promise<void> {
    for (const some of partsOf([...this.#waiting], USES_AT_ONCE)) {
      await this.#store.noteKeyUses(some.map(([, use]) => use));
      for (const [name, use] of some) if (this.#waiting.get(name) === use) this.#waiting.delete(name);
    }
  }

  /** Ends with a last write. */
  async stop(): Promise<void> {
    await this.#job.stop();
    // The next use is noted again, so this one is not worth delaying the end of the process.
    await this.write().catch(() => undefined);
  }
}
