/**
 * For tests: how often what is the same but for the moment or the case is repeated. Without `ROUNDS` as often as meets each
 * phase, the same way each time; `ROUNDS=1000 npm test -- <suite>` after a change of what is under test.
 */
export function rounds(enough: number): number {
  const { ROUNDS } = process.env;
  return ROUNDS === undefined ? enough : Number(ROUNDS);
}

/** The same for the cases of a property: with `ROUNDS` they are others each time. */
export function cases(enough: number): { readonly numRuns: number; readonly seed?: number } {
  const numRuns = rounds(enough);
  return process.env.ROUNDS === undefined ? { numRuns, seed: 1 } : { numRuns };
}
