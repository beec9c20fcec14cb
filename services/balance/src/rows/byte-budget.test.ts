import { describe, expect, it } from '@jest/globals';
import { ByteBudget } from './byte-budget.ts';

describe('a budget of bytes', () => {
  it('has room in the order of arrival, also for one that would fit before', () => {
    const granted: string[] = [];
    const budget = new ByteBudget(10);
    const first = budget.claim(8, () => granted.push('first'));
    const second = budget.claim(8, () => granted.push('second'));
    const third = budget.claim(2, () => granted.push('third'));
    expect([first, second, third].map(({ isGranted }) => isGranted)).toEqual([true, false, false]);
    budget.shrink(first, 3);
    expect(granted).toEqual([]);
    budget.shrink(first, 2);
    expect([granted, budget.left]).toEqual([['second'], 0]);
    budget.shrink(second, 0);
    expect([granted, budget.left]).toEqual([['second', 'third'], 6]);
  });

  it('is free for others once one that waits gives up', () => {
    const granted: string[] = [];
    const budget = new ByteBudget(10);
    const [, second] = [budget.claim(8, () => undefined), budget.claim(8, () => granted.push('second'))];
    budget.claim(2, () => granted.push('third'));
    budget.shrink(second, 0);
    expect([granted, budget.left]).toEqual([['third'], 0]);
  });
});
