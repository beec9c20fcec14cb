import { partsOf } from '@hindsight/kernel/parts.ts';

/** Requests of one question that are under way at once; the rest of a node is for other questions. */
const REQUESTS_AT_ONCE = 4;

/**
 * Does something with each of many, several at once.
 * @throws what `work` throws first; no further one is then begun
 */
export async function forEachAtOnce<T>(
  all: readonly T[],
  work: (one: T, at: number) => Promise<void>,
): Promise<void> {
  let next = 0;
  const workOn = async (): Promise<void> => {
    while (next < all.length) {
      const at = next++;
      try {
        await work(all[at]!, at);
      } catch (error) {
        next = all.length;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: REQUESTS_AT_ONCE }, workOn));
}

/**
 * Reads something of each of many, several a request and several requests at once.
 * @param read reads a part, in its order
 * @returns what was read, in order
 * @throws what `read` throws first; no further part is then begun
 */
export async function readInRequests<T, R>(
  all: readonly T[],
  perRequest: number,
  read: (part: readonly T[]) => Promise<readonly R[]>,
): Promise<readonly R[]> {
  const found: (readonly R[])[] = [];
  await forEachAtOnce(partsOf(all, perRequest), async (part, at) => {
    found[at] = await read(part);
  });
  return found.flat();
}
