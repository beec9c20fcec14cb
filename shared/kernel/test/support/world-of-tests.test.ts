/** Suites open in one line the things that they run on. */
import { afterAll, describe, expect, it } from '@jest/globals';
import { forAllTests, forEachTest } from './world-of-tests.ts';

/** Has a private field, as what suites open often has. */
class Door {
  readonly room = { lamps: 1 };
  #isOpen = true;

  get isOpen(): boolean {
    return this.#isOpen;
  }

  shut(): Promise<void> {
    this.#isOpen = false;
    return Promise.resolve();
  }
}

const opened: Door[] = [];
const openDoor = (): Promise<Door> => {
  const door = new Door();
  opened.push(door);
  return Promise.resolve(door);
};

describe('forAllTests', () => {
  const door = forAllTests(openDoor, 'shut');

  it('opens it once, and not before the first test', () => {
    expect(opened).toHaveLength(1);
  });

  it('stands for the one that is open: fields, getters, methods, changes', async () => {
    door.room.lamps += 1;
    expect([opened[0]!.room.lamps, door.isOpen, 'isOpen' in door]).toEqual([2, true, true]);
    await door.shut();
    expect(door.isOpen).toBe(false);
  });
});

describe('forEachTest', () => {
  const door = forEachTest(openDoor, 'shut');
  const before = opened.length;
  afterAll(() => {
    expect(opened.slice(before).map(({ isOpen }) => isOpen)).not.toContain(true);
  });

  it.each([1, 2])('is another in each test, and shut after it: %i', () => {
    expect(door.isOpen).toBe(true);
    expect(opened.filter(({ isOpen }) => isOpen)).toHaveLength(1);
  });
});

describe('outside of tests', () => {
  const door = forAllTests(openDoor, 'shut');
  let refusal: unknown;
  try {
    refusal = door.isOpen;
  } catch (error) {
    refusal = error;
  }

  it('nothing can be used', () => {
    expect(refusal).toEqual(new Error('nothing is open outside of tests'));
  });
});
