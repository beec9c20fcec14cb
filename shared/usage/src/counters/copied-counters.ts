/** The counters by way of a copy: the copy first, then the ledger, from which the copy is filled. */
import type {
  CountedMonth,
  CountedRecords,
  CounterCopy,
  MonthCounters,
  RecordName,
  RevisedMonth,
} from './ports.ts';
import { Refills, type Refilled } from './refills.ts';

interface Deps {
  readonly copy: Pick<CounterCopy, 'find' | 'put'>;
  readonly records: Pick<CountedRecords, 'readMany'>;
  /** Called with the number of records that the copy did not have. */
  readonly onRefill: (records: number) => void;
  /** The copy took nothing, or took something. */
  readonly onFailure: (error: unknown) => void;
  readonly onSuccess: () => void;
}

/** Reads for one process. */
export class CopiedCounters implements MonthCounters {
  readonly #deps: Deps;
  readonly #refills: Refills;

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#refills = new Refills({
      records: deps.records,
      onRead: (read) => void this.#fill(read),
    });
  }

  async read(project: string, month: string): Promise<CountedMonth> {
    const record: RecordName = { project, month };
    const { epoch, month: copied } = await this.#deps.copy.find(record);
    if (copied !== undefined) return shown(copied, 'copy');
    return shown(await this.#refills.read(record, epoch), 'ledger');
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

function shown(
  { requests, orders, taken, days, asOf }: RevisedMonth,
  from: CountedMonth['from'],
): CountedMonth {
  return { requests, orders, taken, days, asOf, from };
}
