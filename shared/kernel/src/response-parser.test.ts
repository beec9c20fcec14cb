import { expect, it } from '@jest/globals';
import { outputOf, TEN_RESPONSES, TRACE_COMPILATION } from '../test/support/traced-process.ts';

const DEFER = `import { deferParserCompilation } from './response-parser.ts'; deferParserCompilation();`;

/** True if V8 has compiled WebAssembly a second time in a process that runs a program. */
const compilesAgain = (program: string): boolean =>
  outputOf(program, TRACE_COMPILATION, import.meta.dirname).includes('using TurboFan');

it('the parser of responses is compiled once in a process that gets few of them', () => {
  expect(compilesAgain(TEN_RESPONSES)).toBe(true);
  expect(compilesAgain(DEFER + TEN_RESPONSES)).toBe(false);
});
