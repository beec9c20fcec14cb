/** Reads consecutive ranges, several at a time, and yields them in order. */
import { unlessAborted } from '@hindsight/kernel/abort.ts';
import { NodeError } from '@hindsight/chain/rpc/node-error.ts';
import type { RangeSizer } from '../domain/range-sizer.ts';
import { joinReadings, type BlockRange, type RangeReading } from '../domain/transfers.ts';
import { RangeTooLarge, type TransferLogs } from '../ports.ts';
import { retryTransient, type RetryOptions } from './retry-transient.ts';

export interface ReadAheadOptions extends RetryOptions {
  readonly logs: TransferLogs;
  readonly sizer: RangeSizer;
  /** Ranges in flight at a time. */
  readonly inFlight: number;
}

/**
 * Yields what `prepare` makes of each range from `start` to `end`, in order.
 * @throws {NodeError} when a range cannot be read
 */
export async function* readAhead<T>(
  { from: start, to: end }: BlockRange,
  prepare: (reading: RangeReading) => Promise<T>,
  options: ReadAheadOptions,
): AsyncGenerator<T> {
  const { signal } = options;
  const underWay: Promise<T>[] = [];
  let next = start;
  const refill = (): void => {
    while (next <= end && underWay.length < options.inFlight) {
      const range = { from: next, to: Math.min(end, next + options.sizer.size - 1) };
      const prepared = readWhole(range, options).then(prepare);
      // A consumer that stops at an earlier range never awaits this one.
      void prepared.catch(() => undefined);
      underWay.push(prepared);
      next = range.to + 1;
    }
  };
  for (refill(); underWay.length > 0; refill()) {
    const prepared = await unlessAborted(underWay[0]!, signal);
    void underWay.shift();
    yield prepared;
  }
}

/** Reads a range, in parts if the node requires it. */
async function readWhole(range: BlockRange, options: ReadAheadOptions): Promise<RangeReading> {
  let whole: RangeReading | undefined;
  let step = range.to - range.from + 1;
  for (let from = range.from; from <= range.to;) {
    const part = { from, to: Math.min(range.to, from + step - 1) };
    const blocks = part.to - part.from + 1;
    try {
      const reading = await retryTransient(options, () => options.logs.read(part, options.signal));
      options.sizer.answered(blocks, reading.logs);
      whole = whole === undefined ? reading : join(whole, reading);
      from = part.to + 1;
    } catch (error) {
      if (!(error instanceof RangeTooLarge)) throw error;
      options.sizer.refused(blocks, error.proposed);
      step = Math.max(1, error.proposed ?? Math.floor(blocks / 2));
    }
  }
  if (whole === undefined) throw new RangeError('an empty range cannot be read');
  return whole;
}

function join(first: RangeReading, second: RangeReading): RangeReading {
  const joined = joinReadings(first, second);
  if (joined !== null) return joined;
  throw new NodeError('unknown-block', `block ${second.from} does not follow the block before it`);
}
