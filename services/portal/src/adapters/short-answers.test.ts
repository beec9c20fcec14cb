import { expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';

/** Asks for the example of the landing page, and says whether Node's own undici was loaded. */
const PROGRAM = `
  import { createServer } from 'node:http';
  import { createExampleAnswer } from './example-answer.ts';
  const server = createServer((request, response) => response.end('{"key":"' + request.headers['x-api-key'] + '"}'));
  await new Promise((listens) => server.listen(0, '127.0.0.1', listens));
  const gatewayUrl = 'http://127.0.0.1:' + server.address().port;
  const ask = createExampleAnswer({ gatewayUrl, path: '/v1?a=b', key: 'hs_demo', clock: { now: () => 0 } });
  const answer = JSON.parse(await ask());
  const loaded = process.moduleLoadList.filter((name) => name.includes('internal/deps/undici'));
  console.log(JSON.stringify({ answer, loaded }));
  server.close();
`;
const LIGHT_START = import.meta.resolve('@hindsight/kernel/light-start.ts');

it('the example of the landing page is read without a second undici in the process', () => {
  const flags = ['--import', LIGHT_START, '--input-type=module', '--eval', PROGRAM];
  const printed = execFileSync(process.execPath, flags, { cwd: import.meta.dirname, encoding: 'utf8' });
  expect(JSON.parse(printed)).toEqual({ answer: { key: 'hs_demo' }, loaded: [] });
});
