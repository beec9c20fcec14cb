import { expect, it } from '@jest/globals';
import { RetryBudget } from './retry-budget.ts';

it('questions earn parts of a retry, up to a reserve; only a whole one is spent', () => {
  const budget = new RetryBudget({ reserve: 1, perQuestion: 0.5 });
  expect([budget.spend(), budget.spend()]).toEqual([true, false]);
  budget.earn();
  expect(budget.spend()).toBe(false);
  for (let question = 0; question < 9; question++) budget.earn();
  expect([budget.spend(), budget.spend()]).toEqual([true, false]);
});
