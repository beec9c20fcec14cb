/** A member of a consumer group: joins, fetches and handles records until it leaves. */
import type { BatchHandler, Membership, StoredRecord } from '@hindsight/bus/log.ts';
import type { Machine } from './machine/machine.ts';

/** A partition of a topic. */
export interface Partition {
  readonly topic: string;
  readonly partition: number;
}

/** Calls to the broker, over the network. */
interface Calls {
  join(): Promise<void>;
  /** The next records of one partition, if there are any. */
  fetch(): Promise<StoredRecord[] | undefined>;
  commit(of: Partition, offset: string): Promise<void>;
  leave(): Promise<unknown>;
}

const JOIN_AGAIN_MS = 3_000;
const AFTER_FAILURE_MS = 200;

export class Consumer implements Membership {
  readonly #machine: Machine;
  readonly #calls: Calls;
  readonly #onBatch: BatchHandler;
  readonly #leaving = new AbortController();
  readonly #joined = Promise.withResolvers<void>();
  readonly joined = this.#joined.promise;
  readonly #ended: Promise<void>;
  #hasNews = true;
  #wakeUp = (): void => undefined;

  /** Starts to work at once, as the process whose code runs. */
  constructor(machine: Machine, calls: Calls, onBatch: BatchHandler) {
    this.#machine = machine;
    this.#calls = calls;
    this.#onBatch = onBatch;
    this.#ended = this.#work();
  }

  /** Makes it fetch again: records may have arrived. */
  wake(): void {
    this.#hasNews = true;
    this.#wakeUp();
  }

  async leave(): Promise<void> {
    this.#leaving.abort();
    this.#wakeUp();
    this.#joined.resolve();
    await this.#ended;
  }

  async #work(): Promise<void> {
    const { signal } = this.#leaving;
    await this.#join(signal);
    while (!signal.aborted) {
      this.#hasNews = false;
      try {
        if (await this.#handleSome()) this.#hasNews = true;
      } catch {
        await this.#machine.wait(AFTER_FAILURE_MS);
        this.#hasNews = true;
      }
      if (!this.#hasNews && !signal.aborted) await new Promise<void>((resolve) => (this.#wakeUp = resolve));
    }
    await this.#calls.leave().catch(() => undefined);
  }

  async #join(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await this.#calls.join();
        return this.#joined.resolve();
      } catch {
        await this.#machine.wait(JOIN_AGAIN_MS);
      }
    }
  }

  /** @returns false if there was nothing to handle */
  async #handleSome(): Promise<boolean> {
    const records = await this.#calls.fetch();
    const [first] = records ?? [];
    if (records === undefined || first === undefined) return false;
    const { topic, partition } = first;
    const commit = (offset: string): Promise<void> => this.#calls.commit(first, offset);
    await this.#onBatch(records, { topic, partition, signal: this.#leaving.signal, commit });
    return true;
  }
}
