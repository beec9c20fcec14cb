import { beforeEach, describe, expect, it } from '@jest/globals';
import { TokenTrials } from './token-trials.ts';

let trials: TokenTrials;

beforeEach(() => {
  trials = new TokenTrials();
});

const times = (count: number, act: () => void): void => {
  for (let i = 0; i < count; i++) act();
};

describe('a token', () => {
  it('is asked in shared calls at first', () => {
    expect(trials.next).toBe('shared');
  });

  it.each([
    ['reverted', 3],
    ['burnt', 20],
  ] as const)(
    'whose questions %s alone too is not asked alone more than %i times in vain',
    (failure, most) => {
      times(most, () => {
        expect(trials.isWorthRepeating(failure)).toBe(true);
        trials.noteAlone(failure, false);
      });
      expect(trials.isWorthRepeating(failure)).toBe(false);
    },
  );

  it('that answers only alone is asked alone, also where some of its holders fail', () => {
    times(8, () => trials.noteShared('burnt'));
    times(8, () => trials.noteAlone('burnt', true));
    expect(trials.next).toBe('alone');
    times(25, () => trials.noteAlone('burnt', false));
    expect(trials.isWorthRepeating('burnt')).toBe(true);
    times(3, () => trials.noteAlone('burnt', false));
    expect(trials.isWorthRepeating('burnt')).toBe(false);
  });

  it('that burns all gas for 1,000 holders and answers for none is not asked further', () => {
    times(999, () => trials.noteShared('burnt'));
    expect(trials.next).toBe('shared');
    trials.noteShared('burnt');
    expect(trials.next).toBe('not');
  });

  it('that answered for one holder goes on being asked', () => {
    trials.noteShared();
    times(2_000, () => trials.noteShared('burnt'));
    expect(trials.next).toBe('shared');
  });
});
