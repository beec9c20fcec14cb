/** The planted faults of `npm run mutate` still fit the code, and can be planted. */
import { describe, expect, it } from '@jest/globals';
import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FAULTS, type Fault } from '../mutate/faults.ts';
import { ROOT, withFault } from '../mutate/plant.ts';

describe('a planted fault', () => {
  const fault: Fault = { promise: 'p', file: 'a.ts', from: 'x > 1', to: 'x > 2', suites: ['a'] };

  it('changes its text and nothing else', () => {
    expect(withFault('if (x > 1) stop();', fault)).toBe('if (x > 2) stop();');
  });

  it('is refused where its text is missing or occurs twice', () => {
    expect(() => withFault('if (y > 1) stop();', fault)).toThrow('a.ts has no "x > 1"');
    expect(() => withFault('x > 1 || x > 1', fault)).toThrow('a.ts has "x > 1" more than once');
  });
});

describe('the list of planted faults', () => {
  const tests = globSync('**/*.test.ts', { cwd: ROOT, exclude: ['**/node_modules'] });

  it.each(FAULTS.map((fault) => [fault.promise, fault] as const))(
    'fits the code: %s',
    async (_promise, fault) => {
      const text = await readFile(join(ROOT, fault.file), 'utf8');
      expect(withFault(text, fault)).not.toBe(text);
      expect(fault.suites.length).toBeGreaterThan(0);
      // jest fails without a suite, too: the fault would be called noticed.
      for (const suite of fault.suites) expect(tests).toContainEqual(expect.stringMatching(suite));
    },
  );
});
