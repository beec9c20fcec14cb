import { expect, it } from '@jest/globals';
import { MANY_SURVIVE, outputOf, TRACE_PRETENURING } from '../test/support/traced-process.ts';

const DISABLE = `import { disablePretenuring } from './pretenuring.ts'; disablePretenuring();`;

/** True if V8 decides to create some kind of object old, in a process that runs a program. */
const createsOld = (program: string): boolean =>
  outputOf(program, TRACE_PRETENURING, import.meta.dirname).includes('=> tenure');

it('objects are created young, however many of them survive', () => {
  expect(createsOld(MANY_SURVIVE)).toBe(true);
  expect(createsOld(DISABLE + MANY_SURVIVE)).toBe(false);
});
