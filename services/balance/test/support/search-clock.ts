/** The clock by which the time of a search is up. */
import { jest } from '@jest/globals';

/** Moved ahead while a node answers, it stands for a node that takes as long. */
export interface SearchClock {
  /** Milliseconds. */
  ahead: number;
  restore(): void;
}

/** Takes the place of the machine's clock until it is restored. */
export function takeSearchClock(): SearchClock {
  const now = performance.now.bind(performance);
  const spy = jest.spyOn(performance, 'now').mockImplementation(() => now() + clock.ahead);
  const clock: SearchClock = { ahead: 0, restore: () => spy.mockRestore() };
  return clock;
}
