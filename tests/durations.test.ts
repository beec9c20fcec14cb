import { expect, it } from '@jest/globals';
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '..');

it('the durations that order the suites name only suites that exist', () => {
  const durations = JSON.parse(readFileSync(resolve(ROOT, 'tests/durations.json'), 'utf8')) as object;
  expect(Object.keys(durations).filter((suite) => !existsSync(resolve(ROOT, suite)))).toEqual([]);
});
