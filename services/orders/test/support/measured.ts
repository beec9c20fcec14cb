import type { Answer } from './run-orders.ts';

/**
 * An answer, and the processor time that the event loop's thread spent on it: an upper bound of the time it
 * was blocked.
 */
export interface MeasuredAnswer extends Answer {
  readonly processorMs: number;
}

/** The limits of every answer. */
const LIMITS = { answeredMs: 1_000, blockedMs: 50 };
const TRIES = 50;

/**
 * Repeats until answer and event loop keep to their limits. A busy machine or a garbage collection makes one
 * try slow, a request that costs too much makes all of them slow: the fastest one counts.
 */
export async function measured(
  ask: () => Promise<Answer>,
  limits: Partial<typeof LIMITS> = {},
): Promise<MeasuredAnswer> {
  const { answeredMs, blockedMs } = { ...LIMITS, ...limits };
  let first: Answer | undefined;
  let [milliseconds, processorMs] = [Infinity, Infinity];
  for (let n = 0; n < TRIES && (milliseconds >= answeredMs || processorMs >= blockedMs); n++) {
    const before = process.threadCpuUsage();
    const answer = await ask();
    const { user, system } = process.threadCpuUsage(before);
    first ??= answer;
    milliseconds = Math.min(milliseconds, answer.milliseconds);
    processorMs = Math.min(processorMs, (user + system) / 1_000);
  }
  if (first === undefined) throw new Error('nothing was asked');
  return { ...first, milliseconds, processorMs };
}
