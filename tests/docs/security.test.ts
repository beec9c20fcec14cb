import { describe, expect, it } from '@jest/globals';
import { codeIn, read, TREE } from './pages.ts';

const RISKS = read('SECURITY.md')
  .split('\n')
  .flatMap((line) => {
    const [, risk, heldBy] = /^\| (API\d+) [^|]+\|([^|]+)\|$/.exec(line) ?? [];
    return risk === undefined || heldBy === undefined ? [] : [{ risk, heldBy }];
  });

describe('SECURITY.md', () => {
  it('names every risk of OWASP’s API top ten once', () => {
    expect(RISKS.map(({ risk }) => risk)).toEqual(Array.from({ length: 10 }, (_, i) => `API${i + 1}`));
  });

  it.each(RISKS)('names tests that exist for $risk', ({ heldBy }) => {
    const tests = codeIn(heldBy).filter((code) => /(^|\/)tests?\/|\.test\.ts$/.test(code));
    expect(tests.length).toBeGreaterThan(0);
    expect(tests.filter((path) => !TREE.includes(path.replace(/\/$/, '')))).toEqual([]);
  });
});
