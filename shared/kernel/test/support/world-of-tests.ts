import { afterAll, afterEach, beforeAll, beforeEach } from '@jest/globals';

/** A name of the method that closes something. */
type Closing<T> = { [K in keyof T]: T[K] extends () => unknown ? K : never }[keyof T];

/**
 * Opens something before each test of a `describe`, and closes it after the test. Call it while tests are declared.
 * @param close the method that closes it; none for something that needs no closing
 * @returns a stand-in for what is open in the running test
 */
export function forEachTest<T extends object>(open: () => Promise<T>, close?: Closing<T>): T {
  return standIn(open, close, beforeEach, afterEach);
}

/** Opens something before the first test of a `describe` or file, and closes it after the last. @see forEachTest */
export function forAllTests<T extends object>(open: () => Promise<T>, close?: Closing<T>): T {
  return standIn(open, close, beforeAll, afterAll);
}

type Hook = (work: () => Promise<void>) => void;

function standIn<T extends object>(
  open: () => Promise<T>,
  close: Closing<T> | undefined,
  before: Hook,
  after: Hook,
): T {
  let current: T | undefined;
  before(async () => {
    current = await open();
  });
  after(async () => {
    const opened = current;
    current = undefined;
    if (opened !== undefined && close !== undefined) await (opened[close] as () => unknown).call(opened);
  });
  const opened = (): T => {
    if (current === undefined) throw new Error('nothing is open outside of tests');
    return current;
  };
  return new Proxy({} as T, {
    get: (_, name) => {
      const of = opened();
      const value: unknown = Reflect.get(of, name);
      // Methods with private fields need the object itself.
      return typeof value === 'function' ? (value.bind(of) as unknown) : value;
    },
    set: (_, name, value) => Reflect.set(opened(), name, value),
    has: (_, name) => Reflect.has(opened(), name),
  });
}
