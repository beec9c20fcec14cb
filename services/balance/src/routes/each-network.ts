import { ApiError, gatewayTimeout, type ErrorBody } from '@hindsight/kernel/errors.ts';
import { unlessAborted } from '@hindsight/kernel/abort.ts';
import { networkFields, type NetworkFields, type NetworkName } from '../domain/pinned.ts';

/** A network's part of an answer, or why it has none. */
type Part<R> = NetworkFields & (R | { readonly error: ErrorBody });

/**
 * Asks every network at once. One that is unavailable or slow is an error in its own part, and delays no answer beyond its time.
 * @param withinMs milliseconds that each has
 * @throws the signal's reason once the caller has left
 */
export async function eachNetwork<N extends { readonly network: NetworkName }, R extends object>(
  networks: Iterable<N>,
  { signal, withinMs }: { readonly signal: AbortSignal; readonly withinMs: number },
  ask: (one: N, signal: AbortSignal) => Promise<R>,
): Promise<readonly Part<R>[]> {
  return Promise.all(
    [...networks].map(async (one) => {
      const own = AbortSignal.timeout(withinMs);
      const either = AbortSignal.any([signal, own]);
      const fields = networkFields(one.network);
      try {
        return { ...fields, ...(await unlessAborted(ask(one, either), either)) };
      } catch (error) {
        signal.throwIfAborted();
        return { ...fields, error: errorOf(error, own.aborted, withinMs) };
      }
    }),
  );
}

/** @throws what is not an answer to the caller */
function errorOf(error: unknown, isLate: boolean, withinMs: number): ErrorBody {
  if (error instanceof ApiError) return error.body;
  if (!isLate) throw error;
  return gatewayTimeout('deadline_exceeded', `The network did not answer within ${withinMs} ms.`).body;
}
