import { describe, expect, it } from '@jest/globals';
import { TOPICS } from '@hindsight/events/topics.ts';
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

  it('names no test that is not there', () => {
    const tests = codeIn(read('SECURITY.md')).filter((code) => code.endsWith('.test.ts'));
    expect(tests.length).toBeGreaterThan(RISKS.length);
    expect(tests.filter((path) => !TREE.includes(path))).toEqual([]);
  });
});

const PAGE = read('docs/operations/secure.md');

describe('the rights on Kafka in docs/operations/secure.md', () => {
  const [, table = ''] = /^\| process .*\n.*\n([\s\S]*?)\n\n/m.exec(PAGE) ?? [];
  const rows = table.split('\n').map((row) => row.split('|').map(codeIn));
  const column = (at: number): string[] => rows.flatMap((cells) => cells[at] ?? []);

  it.each(Object.keys(TOPICS))('say who writes and who reads %s', (topic) => {
    expect(column(2)).toContain(topic);
    expect(column(3)).toContain(topic);
    // The prefixes of `Describe`.
    expect(codeIn(PAGE)).toContain(`${topic.split('.')[0]}.`);
  });

  it('name every group of the services', () => {
    const sources = TREE.filter((path) => /^services\/\w+\/src\/.*(?<!\.test)\.ts$/.test(path)).map(read);
    const groups = sources.flatMap((text) =>
      [...text.matchAll(/\bgroup: ['`]([a-z][\w-]*)/g)].map(([, name]) => name),
    );
    expect(groups).toContain('metering');
    expect(groups.filter((name) => !column(4).includes(name!))).toEqual([]);
  });
});
