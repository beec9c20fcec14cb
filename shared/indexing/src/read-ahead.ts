/** Reads consecutive ranges, several at a time, and yields them in order. */
import { unlessAborted } from '@hindsight/kernel/abort.ts';
import type { BlockRange } from '@hindsight/chain/logs/block-range.ts';
import type { RangeSizer } from '@hindsight/chain/logs/range-sizer.ts';
import { readInParts } from '@hindsight/chain/logs/read-in-parts.ts';
import { NodeError } from '@hindsight/chain/rpc/node-error.ts';
import type { FinalizedLogs } from './finalized-logs.ts';
import { joinReadings, type RangeReading } from './range-reading.ts';
import { retryTransient, type RetryOptions } from './retry-transient.ts';

export interface ReadAheadOptions<Found> extends RetryOptions {
  readonly logs: FinalizedLogs<Found>;
  readonly sizer: RangeSizer;
  /** Ranges in flight at a time. */
  readonly inFlight: number;
}

/**
 * Yields what `prepare` makes of each range from `start` to `end`, in order.
 * @throws {NodeError} when a range cannot be read
 */
export async function* readAhead<Found, Prepared>(
  { from: start, to: end }: BlockRange,
  prepare: (reading: RangeReading<Found>) => Promise<Prepared>,
  options: ReadAheadOptions<Found>,
): AsyncGenerator<Prepared> {
  const { signal } = options;
  const underWay: Promise<Prepared>[] = [];
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

async function readWhole<Found>(
  range: BlockRange,
  options: ReadAheadOptions<Found>,
): Promise<RangeReading<Found>> {
  const { logs, sizer, signal } = options;
  const read = (part: BlockRange): Promise<RangeReading<Found>> =>
    retryTransient(options, () => logs.read(part, signal));
  return (await readInParts(range, sizer, read)).reduce((first, second) => {
    const joined = joinReadings(first, second, logs.reduction.join);
    if (joined !== null) return joined;
    throw new NodeError('unknown-block', `block ${second.from} does not follow the block before it`);
  });
}
