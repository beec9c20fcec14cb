/**
 * Reads counters that a copy lacks from the ledger: one query at a time, a few a second, each for all records
 * wanted by then. An emptied copy is full again within seconds, at little cost to the ledger.
 */
import { withDeadline } from '@hindsight/kernel/deadline.ts';
import { StoreUnavailable } from '@hindsight/stores/unavailable.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CountingProgress } from '../counting/ports.ts';
import type { CountedRecords, RevisedMonth } from './ports.ts';
import { recordKey, type RecordName } from '../calendar.ts';

const RECORDS_A_ROUND = 200;
/** From the start of one round to that of the next: 20 a second at most. */
const ROUND_MS = 50;
const ANSWER_MS = 5_000;
/** More than these are refused at once. */
const MAX_WAITING = 20_000;

export interface Refilled {
  readonly month: RevisedMonth;
  /** The copy's epoch before the ledger was read; undefined if nothing vouched for it. */
  readonly epoch: number | undefined;
}

interface Wanted {
  readonly record: RecordName;
  readonly epoch: number | undefined;
  readonly answer: PromiseWithResolvers<FromLedger>;
}

interface FromLedger {
  readonly month: RevisedMonth;
  /** Everything published before this moment is in it; undefined if that is not known. */
  readonly countedTo: number | undefined;
}

interface Deps {
  readonly records: Pick<CountedRecords, 'readMany'>;
  readonly progress: Pick<CountingProgress, 'countedTo'>;
  /** Receives the result of one query. Must not throw. */
  readonly onRead: (read: readonly Refilled[]) => void;
}

export class Refills {
  readonly #deps: Deps;
  readonly #wanted = new Map<string, Wanted>();
  readonly #underWay = new Map<string, Wanted>();
  #running = false;
  #begunAt = -ROUND_MS;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** @param epoch of the copy before the call. @throws {StoreUnavailable} */
  async read(record: RecordName, epoch: number | undefined): Promise<FromLedger> {
    const key = recordKey(record);
    let one = this.#underWay.get(key) ?? this.#wanted.get(key);
    if (one === undefined) {
      if (this.#wanted.size >= MAX_WAITING) throw late();
      one = { record, epoch, answer: Promise.withResolvers() };
      this.#wanted.set(key, one);
      if (!this.#running) void this.#run();
    }
    return withDeadline(one.answer.promise, ANSWER_MS, late);
  }

  async #run(): Promise<void> {
    this.#running = true;
    while (this.#wanted.size > 0) {
      const rest = this.#begunAt + ROUND_MS - performance.now();
      if (rest > 0) await sleep(rest);
      this.#begunAt = performance.now();
      for (const [key, one] of this.#wanted) {
        if (this.#underWay.size === RECORDS_A_ROUND) break;
        this.#underWay.set(key, one);
        this.#wanted.delete(key);
      }
      await this.#round([...this.#underWay.values()]);
      this.#underWay.clear();
    }
    this.#running = false;
  }

  async #round(some: readonly Wanted[]): Promise<void> {
    try {
      const countedTo = await this.#deps.progress.countedTo();
      const months = await this.#deps.records.readMany(some.map(({ record }) => record));
      for (const [i, month] of months.entries()) some[i]?.answer.resolve({ month, countedTo });
      this.#deps.onRead(months.map((month, i) => ({ month, epoch: some[i]?.epoch })));
    } catch (error) {
      // Each is awaited with a deadline, which hears of it even if it comes later.
      for (const { answer } of some) answer.reject(error);
    }
  }
}

function late(): StoreUnavailable {
  return new StoreUnavailable('MongoDB', 'too many counters are read from it');
}
