import { describe, expect, it } from '@jest/globals';
import { reliedOn } from './known-places.ts';

const contract = (n: number): string => `0x${n.toString(16).padStart(40, '0')}`;
const slot = (n: number, of = 1) => ({
  contract: contract(of),
  key: `0x${n.toString(16).padStart(64, '0')}`,
});
const range = (length: number): readonly number[] => Array.from({ length }, (_, i) => i + 1);
const AMOUNT = slot(0);

describe('the state on which the place of an amount relies', () => {
  const of = (contracts: number, slots: number) =>
    reliedOn(
      contract(1),
      { contracts: range(contracts).map(contract), slots: [AMOUNT, ...range(slots).map((n) => slot(n))] },
      AMOUNT,
    );

  it('is that of each contract, without the slot of the amount', () => {
    const [target, other] = of(2, 3)!;
    expect(target).toEqual({ address: contract(1), slots: [1, 2, 3].map((n) => slot(n).key) });
    expect(other).toEqual({ address: contract(2), slots: [] });
  });

  it('is not relied on where it is more than each use can confirm', () => {
    expect(of(4, 8)).toHaveLength(4);
    expect(of(5, 8)).toBeUndefined();
    expect(of(4, 9)).toBeUndefined();
  });
});
