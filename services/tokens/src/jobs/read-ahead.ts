/** Reads consecutive ranges, several at a time, and hands them on in order. */
import { NodeError } from '@hindsight/shared/chain/rpc/node-error.ts';
import type { RangeSizer } from '../domain/range-sizer.ts';
import { joinReadings, type BlockRange, type RangeReading } from '../domain/transfers.ts';
import { RangeTooLarge, type TransferLogs } from '../ports.ts';
import { patiently, type Patience } from './patiently.ts';

/** What reading ahead stands on. */
export interface ReadAhead extends Patience {
  readonly logs: TransferLogs;
  readonly sizer: RangeSizer;
  /** Ranges under way at the same time. */
  readonly inFlight: number;
}

/**
 * Yields what `prepare` makes of each range from `start` to `end`, in order.
 * @throws {NodeError} when a range cannot be read
 */
export async function* readAhead<T>(
  { from: start, to: end }: BlockRange,
  prepare: (reading: RangeReading) => Promise<T>,
  options: ReadAhead,
): AsyncGenerator<T> {
  const { signal } = options;
  const underWay: Promise<T>[] = [];
  let next = start;
  const refill = (): void => {
    while (next <= end && underWay.length < options.inFlight) {
      const range = { from: next, to: Math.min(end, next + options.sizer.size - 1) };
      const prepared = readWhole(range, options).then(prepare);
      // Whoever stops at an earlier range never asks how this one went.
      void prepared.catch(() => undefined);
      underWay.push(prepared);
      next = range.to + 1;
    }
  };
  for (refill(); underWay.length > 0; refill()) {
    const prepared = await untilAborted(underWay[0], signal);
    void underWay.shift();
    yield prepared as T;
  }
}

async function untilAborted<T>(work: Promise<T> | undefined, signal: AbortSignal): Promise<T | undefined> {
  signal.throwIfAborted();
  const { promise, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => reject(signal.reason as Error);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

/** Reads a range, in parts where the node wants it so. */
async function readWhole(range: BlockRange, options: ReadAhead): Promise<RangeReading> {
  let whole: RangeReading | undefined;
  let step = range.to - range.from + 1;
  for (let from = range.from; from <= range.to;) {
    const part = { from, to: Math.min(range.to, from + step - 1) };
    const blocks = part.to - part.from + 1;
    try {
      const reading = await patiently(options, () => options.logs.read(part, options.signal));
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
