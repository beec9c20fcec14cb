import { BodyRows } from '@hindsight/api/body-rows.ts';
import { streamUnits, type StreamPrice } from '@hindsight/api/units.ts';
import { recordOf } from './settle.ts';
import type { Passage } from './settlements/settlement.ts';

/**
 * Cost of a stream: it is known only at its end, so it is recorded in portions. The cost of passed rows is on
 * disk before more of the answer goes out, so that neither a crash nor a client that leaves gets work for
 * nothing.
 */
export class StreamMeter {
  readonly #passage: Passage;
  readonly #price: StreamPrice;
  readonly #rows: BodyRows;
  #isComplete = false;
  #recorded = 0;
  #writing: Promise<void> = Promise.resolve();

  constructor(passage: Passage, price: StreamPrice, format: { readonly csv: boolean }) {
    this.#passage = passage;
    this.#price = price;
    this.#rows = new BodyRows(format);
  }

  /** The whole body has passed: its cost is known. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  /** Units that are on disk. */
  get recorded(): number {
    return this.#recorded;
  }

  /** A part of the body passes to the service. */
  pass(part: Uint8Array): void {
    this.#rows.push(part);
  }

  /** All of the body has passed. */
  complete(): void {
    if (this.#isComplete) return;
    this.#isComplete = true;
    this.#rows.end();
  }

  /** Resolves when the cost of all passed rows is on disk. @throws {SpoolFull} */
  record(): Promise<void> {
    return this.#record(200, () => streamUnits(this.#rows.rows, this.#price));
  }

  /** The stream was refused: it costs what any answer does. @throws {SpoolFull} */
  recordRefusal(statusCode: number): Promise<void> {
    return this.#record(statusCode, () => 1);
  }

  /** The stream is over: its unspent units are available again. */
  async close(): Promise<void> {
    await this.#writing.catch(() => undefined);
    const { deps, admission } = this.#passage;
    deps.quota.done(admission, this.#recorded);
  }

  /** One after another: each records the rest after earlier ones. */
  #record(status: number, due: () => number): Promise<void> {
    const { deps, admission, authorized } = this.#passage;
    const write = async (): Promise<void> => {
      const units = Math.min(due(), admission.units) - this.#recorded;
      if (units <= 0) return;
      const record = recordOf(authorized, admission, status);
      await deps.spool.record(record, units, this.#recorded === 0 ? 1 : 0);
      this.#recorded += units;
    };
    this.#writing = this.#writing.then(write);
    return this.#writing;
  }
}
