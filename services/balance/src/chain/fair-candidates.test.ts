import { describe, expect, it } from '@jest/globals';
import { FairCandidates } from './fair-candidates.ts';

/** Each candidate is the name of its contract. */
type Candidates = FairCandidates<string>;

/** Adds a number of candidates of a contract. @returns true for each that is found */
function addMany(candidates: Candidates, contract: string, count: number): boolean[] {
  return Array.from({ length: count }, (_, i) => add(candidates, contract, i));
}

function add(candidates: Candidates, contract: string, id = 0): boolean {
  candidates.add(contract, `${contract} ${id}`, () => contract);
  return candidates.has(`${contract} ${id}`);
}

function countOf({ found }: Candidates, contract: string): number {
  return found.filter((each) => each === contract).length;
}

describe('candidates of many contracts', () => {
  it('are at most 500 of one contract, the newest', () => {
    const candidates = new FairCandidates<string>();
    const added = addMany(candidates, 'A', 501);
    expect([added[499], added[500], candidates.found.length]).toEqual([true, false, 500]);
    expect(candidates.cut).toEqual(['A']);
    expect(add(candidates, 'A')).toBe(true);
    expect(candidates.found.length).toBe(500);
  });

  it('lose those of the contract with the most where another has few', () => {
    const candidates = new FairCandidates<string>();
    for (const contract of ['A', 'B', 'C', 'D']) addMany(candidates, contract, 500);
    expect(candidates.cut).toEqual([]);
    expect(new Set(addMany(candidates, 'own', 20))).toEqual(new Set([true]));
    expect(countOf(candidates, 'own')).toBe(20);
    expect(['A', 'B', 'C', 'D'].map((contract) => countOf(candidates, contract))).toEqual([
      495, 495, 495, 495,
    ]);
    expect(candidates.found.length).toBe(2_000);
    expect(candidates.cut).toEqual(['A', 'B', 'C', 'D']);
  });

  it('are shared out evenly, whichever contract is first', () => {
    const candidates = new FairCandidates<string>();
    for (const contract of ['A', 'B', 'C', 'D', 'E', 'F']) addMany(candidates, contract, 500);
    const counts = ['A', 'B', 'C', 'D', 'E', 'F'].map((contract) => countOf(candidates, contract));
    expect(counts.reduce((sum, count) => sum + count)).toBe(2_000);
    expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1);
  });

  it('are full where each of 2,000 contracts has one, and no contract is left without', () => {
    const candidates = new FairCandidates<string>();
    addMany(candidates, 'junk', 400);
    for (let i = 0; i < 1_999; i++) expect(add(candidates, `own ${i}`)).toBe(true);
    expect([countOf(candidates, 'junk'), candidates.found.length]).toEqual([1, 2_000]);
    expect(candidates.cut).toEqual(['junk']);
    expect(add(candidates, 'last')).toBe(false);
    expect(add(candidates, 'junk', 399)).toBe(false);
    expect(candidates.cut).toEqual(['junk']);
  });

  it('are made once, and not at all where they are cut', () => {
    const candidates = new FairCandidates<number>();
    let made = 0;
    for (let time = 0; time < 3; time++)
      for (let id = 0; id < 600; id++) candidates.add('A', String(id), () => (made += 1));
    expect(made).toBe(500);
  });
});
