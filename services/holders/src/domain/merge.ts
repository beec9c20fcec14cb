/** Merges addresses of two ascending sources, each once, up to a number. */
export async function mergeUpTo(
  limit: number,
  parts: AsyncIterable<readonly string[]>,
  others: readonly string[],
): Promise<readonly string[]> {
  const merged: string[] = [];
  let at = 0;
  const take = (address: string): boolean => {
    if (merged.at(-1) !== address) merged.push(address);
    return merged.length >= limit;
  };
  for await (const part of parts) {
    for (const address of part) {
      while (at < others.length && others[at]! <= address) if (take(others[at++]!)) return merged;
      if (take(address)) return merged;
    }
  }
  while (at < others.length) if (take(others[at++]!)) return merged;
  return merged;
}
