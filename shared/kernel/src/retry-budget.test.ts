import { expect, it } from '@jest/globals';
import { RetryBudget } from './retry-budget.ts';

it('a budget has its reserve of retries, earns whole ones by questions, and saves up no more than the reserve', () => {
  const budget = new RetryBudget({ reserve: 2, perQuestion: 0.5 });
  const spent = (): boolean[] => [budget.spend(), budget.spend(), budget.spend()];
  expect(spent()).toEqual([true, true, false]);
  budget.earn();
  expect(budget.spend()).toBe(false);
  budget.earn();
  expect(spent()).toEqual([true, false, false]);
  for (let questions = 0; questions < 9; questions++) budget.earn();
  expect(spent()).toEqual([true, true, false]);
});
