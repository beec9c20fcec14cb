import { expect, it } from '@jest/globals';
import { outputOf } from '../test/support/traced-process.ts';

const DEFER = `import { deferParserCompilation } from './response-parser.ts'; deferParserCompilation();`;
const TEN_RESPONSES = `
  import { createServer } from 'node:http';
  import { Client } from './undici.ts';
  const server = createServer((_request, response) => response.end('{}')).listen(0, '127.0.0.1');
  await new Promise((listens) => server.once('listening', listens));
  const client = new Client('http://127.0.0.1:' + server.address().port);
  for (let i = 0; i < 10; i++) await (await client.request({ path: '/', method: 'GET' })).body.text();
  await client.destroy();
  server.close();
`;

/** True if V8 has compiled WebAssembly a second time in a process that runs a program. */
const compilesAgain = (program: string): boolean =>
  outputOf(program, '--trace-wasm-compilation-times', import.meta.dirname).includes('using TurboFan');

it('the parser of responses is compiled once in a process that gets few of them', () => {
  expect(compilesAgain(TEN_RESPONSES)).toBe(true);
  expect(compilesAgain(DEFER + TEN_RESPONSES)).toBe(false);
});
