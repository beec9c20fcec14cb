/** Cuts a list into parts of a size, in their order; the last one has the rest. */
export function partsOf<T>(all: readonly T[], size: number): readonly T[][] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, i) => all.slice(i * size, (i + 1) * size));
}
