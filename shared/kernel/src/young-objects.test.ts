import { execFileSync } from 'node:child_process';
import { expect, it } from '@jest/globals';

const YOUNG = `import { createObjectsYoung } from './young-objects.ts'; createObjectsYoung();`;
const MANY_SURVIVE = `
  class Item { constructor(number) { this.number = number; this.next = [number]; } }
  const create = (number) => new Item(number);
  for (let round = 0; round < 20; round++) {
    const kept = [];
    for (let i = 0; i < 200_000; i++) kept.push(create(i));
  }
`;

/** True if V8 decides to create some kind of object old, in a process that runs some lines. */
function createsOld(...lines: readonly string[]): boolean {
  // On one thread, so that the code is optimized while it runs.
  const traced = ['--single-threaded', '--trace-pretenuring-statistics', '--input-type=module', '-e'];
  const said = execFileSync(process.execPath, [...traced, lines.join('\n')], {
    cwd: import.meta.dirname,
    encoding: 'utf8',
  });
  return said.includes('=> tenure');
}

it('objects are created young, however many of them survive', () => {
  expect(createsOld(MANY_SURVIVE)).toBe(true);
  expect(createsOld(YOUNG, MANY_SURVIVE)).toBe(false);
}, 60_000);
