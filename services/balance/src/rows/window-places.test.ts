import { describe, expect, it } from '@jest/globals';
import { until } from '@hindsight/kernel/test/support/until.ts';
import { WindowPlaces, type WindowLimits } from './window-places.ts';

/** Nothing becomes slow while a test runs. */
const LIMITS: WindowLimits = { places: 3, each: 2, slow: 2, slowAfterMs: 3_600_000 };
// Told apart by name: objects without one are equal.
const [one, two, three] = ['one', 'two', 'three'].map((name) => ({ name })) as [object, object, object];

/** Enters, and says in a list who was admitted. */
class Entrants {
  readonly admitted: object[] = [];
  readonly #places: WindowPlaces;
  readonly #leaving: (() => void)[] = [];

  constructor(limits: Partial<WindowLimits> = {}) {
    this.#places = new WindowPlaces({ ...LIMITS, ...limits });
  }

  async enter(holder: object, signal = new AbortController().signal): Promise<void> {
    const leave = await this.#places.enter(holder, signal);
    this.admitted.push(holder);
    this.#leaving.push(leave);
  }

  /** Starts entering, and returns once all that can be admitted are. */
  async enterInTurn(...holders: readonly object[]): Promise<void> {
    for (const holder of holders) {
      this.enter(holder).catch(() => undefined);
      await settled();
    }
  }

  /** Ends the window that was admitted as the one at this position; twice, which must not count twice. */
  async leave(at: number): Promise<void> {
    this.#leaving[at]!();
    this.#leaving[at]!();
    await settled();
  }
}

async function settled(): Promise<void> {
  for (let i = 0; i < 5; i++) await new Promise((resolve) => setImmediate(resolve));
}

describe('places of windows', () => {
  it('are given to a snapshot up to its part, though more are free', async () => {
    const entrants = new Entrants();
    await entrants.enterInTurn(one, one, one, two);
    expect(entrants.admitted).toEqual([one, one, two]);
    await entrants.leave(0);
    expect(entrants.admitted).toEqual([one, one, two, one]);
  });

  it('are given to the one that has fewest, and among those to the first that came', async () => {
    const entrants = new Entrants();
    await entrants.enterInTurn(one, two, two, one, three, three);
    expect(entrants.admitted).toEqual([one, two, two]);
    await entrants.leave(0);
    expect(entrants.admitted.slice(3)).toEqual([one]);
    await entrants.leave(1);
    expect(entrants.admitted.slice(4)).toEqual([three]);
    await entrants.leave(2);
    expect(entrants.admitted.slice(5)).toEqual([three]);
  });

  it('are given to one that has none before one that has some and came earlier', async () => {
    const entrants = new Entrants();
    await entrants.enterInTurn(two, two, one, one, three);
    expect(entrants.admitted).toEqual([two, two, one]);
    await entrants.leave(0);
    expect(entrants.admitted.slice(3)).toEqual([three]);
  });

  it('are left to others by those that take long, as far as there is room for slow ones', async () => {
    const entrants = new Entrants({ places: 2, slowAfterMs: 1 });
    await entrants.enterInTurn(one, one, two, three, three);
    await until('four are read', () => entrants.admitted.length === 4);
    expect(entrants.admitted).toEqual([one, one, two, three]);
    // Those of `one` are slow, and there is room for no more: what is late now waits for one of them to end.
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(entrants.admitted).toHaveLength(4);
    await entrants.leave(0);
    expect(entrants.admitted.slice(4)).toEqual([three]);
  });

  it('are not kept for one that has left, nor given to it', async () => {
    const entrants = new Entrants({ places: 1 });
    const gone = new AbortController();
    await entrants.enterInTurn(one);
    const left = entrants.enter(two, gone.signal);
    gone.abort(new Error('the client has left'));
    await expect(left).rejects.toThrow('the client has left');
    await entrants.enterInTurn(three);
    await entrants.leave(0);
    expect(entrants.admitted).toEqual([one, three]);
    await expect(entrants.enter(two, gone.signal)).rejects.toThrow('the client has left');
  });
});
