/** Requests of one question that are under way at once; the rest of a node is for other questions. */
const REQUESTS_AT_ONCE = 4;

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
  let next = 0;
  const readNext = async (): Promise<void> => {
    while (next < all.length) {
      const from = next;
      next += perRequest;
      try {
        found[from / perRequest] = await read(all.slice(from, from + perRequest));
      } catch (error) {
        next = all.length;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: REQUESTS_AT_ONCE }, readNext));
  return found.flat();
}
