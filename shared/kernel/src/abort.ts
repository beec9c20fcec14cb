const NEVER = { signal: undefined, release: () => undefined };

/** Aborts when all of them have: the opposite of `AbortSignal.any`. Undefined stands for one that never aborts. */
export function whenAllAborted(signals: readonly (AbortSignal | undefined)[]): {
  /** Undefined where it can never abort. */
  readonly signal: AbortSignal | undefined;
  readonly release: () => void;
} {
  const given = signals.filter((signal) => signal !== undefined);
  if (given.length === 0 || given.length < signals.length) return NEVER;
  const joint = new AbortController();
  let left = given.length;
  const onAbort = (): void => {
    left -= 1;
    if (left === 0) joint.abort(given[0]?.reason);
  };
  for (const signal of given) {
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
  }
  const release = (): void => {
    for (const signal of given) signal.removeEventListener('abort', onAbort);
  };
  return { signal: joint.signal, release };
}

/** Waits for work until the signal is aborted, then throws its reason. The work itself goes on. */
export async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = Promise.withResolvers<never>();
  const onAbort = (): void => aborted.reject(signal.reason as Error);
  if (signal.aborted) onAbort();
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
