/** The counters by way of a copy: the copy first, then the ledger, from which the copy is filled. */
import type { Clock } from '@hindsight/kernel/clock.ts';
import { LRUCache } from 'lru-cache';
import type { CountedMonth, CountedRecords, CounterCopy, MonthCounters } from './ports.ts';
import { recordKey, type RecordName } from '../calendar.ts';
import type { CountingProgress } from '../counting/ports.ts';
import { Refills, type Refilled } from './refills.ts';

interface Deps {
  readonly copy: Pick<CounterCopy, 'find' | 'put'>;
  readonly records: Pick<CountedRecords, 'readMany'>;
  readonly progress: Pick<CountingProgress, 'countedTo'>;
  readonly clock: Clock;
  /** Called with the number of records that the copy did not have. */
  readonly onRefill: (records: number) => void;
  /** The copy took nothing, or took something. */
  readonly onFailure: (error: unknown) => void;
  readonly onSuccess: () => void;
}

const MAX_REMEMBERED = 10_000;

/** Newest revision of a record that a process has read. */
interface Seen {
  readonly revision: number;
  /** Everything published before this moment is in that revision; 0 while that is not known. */
  readonly countedTo: number;
}

/** Reads for one process: what a project has seen does not go back. */
export class CopiedCounters implements MonthCounters {
  readonly #deps: Deps;
  readonly #refills: Refills;
  /** Of what was read last: where the ledger stood in for the copy, the copy may be a moment behind. */
  readonly #seen = new LRUCache<string, Seen>({ maxSize: MAX_REMEMBERED, sizeCalculation: () => 1 });

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#refills = new Refills({
      records: deps.records,
      progress: deps.progress,
      onRead: (read) => void this.#fill(read),
    });
  }

  async read(project: string, month: string): Promise<CountedMonth> {
    const record: RecordName = { project, month };
    const { epoch, countedTo, month: copied } = await this.#deps.copy.find(record);
    const seen = this.#seen.get(recordKey(record)) ?? { revision: 0, countedTo: 0 };
    // A copy that does not say up to when all is counted may lack what was published by now.
    const isBehind = copied === undefined || copied.revision < seen.revision || countedTo === undefined;
    const found = isBehind ? await this.#refills.read(record, epoch) : { month: copied, countedTo };
    const { project: _project, month: _month, revision, asOf: readAt, ...counted } = found.month;
    // A process that counts may have a clock that is ahead: nothing later than now is believed, or kept.
    const told = Math.min(found.countedTo ?? 0, this.#deps.clock.now());
    // All that was in an earlier revision is in this one.
    const known = Math.max(told, revision < seen.revision ? 0 : seen.countedTo);
    this.#seen.set(recordKey(record), { revision, countedTo: known });
    return { ...counted, asOf: known || readAt, from: isBehind ? 'ledger' : 'copy' };
  }

  async takenAtHand(project: string, month: string): Promise<number | undefined> {
    return (await this.#deps.copy.find({ project, month })).month?.taken;
  }

  async #fill(read: readonly Refilled[]): Promise<void> {
    const { copy, onRefill, onFailure, onSuccess } = this.#deps;
    onRefill(read.length);
    try {
      for (const [epoch, of] of Map.groupBy(read, (one) => one.epoch)) {
        const months = of.map(({ month }) => month);
        if (epoch === undefined) continue;
        await copy.put(months, epoch);
        onSuccess();
      }
    } catch (error) {
      onFailure(error);
    }
  }
}
