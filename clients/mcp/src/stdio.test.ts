import { expect, it } from '@jest/globals';
import { createClient } from '@hindsight/client';
import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { serveStdio } from './stdio.ts';

function serve() {
  const url = 'http://127.0.0.1:1';
  const { signal } = new AbortController();
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  const served = serveStdio(
    { client: createClient({ url, apiKey: 'a-key' }), url, signal },
    { stdin, stdout },
  );
  return { stdin, stdout, served };
}

it('a message without end ends the service, which says so', async () => {
  const { stdin, served } = serve();
  stdin.end(Buffer.alloc(11 * 1024 * 1024, 'x'));
  await expect(served).rejects.toThrow('expected messages of at most 10485760 bytes');
});

it('a line that is no message is answered, and those after it as ever', async () => {
  const { stdin, stdout, served } = serve();
  const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
  stdin.write(`{"jsonrpc":\n[${JSON.stringify(ping)}]\n${JSON.stringify(ping)}\n`);
  const lines = createInterface({ input: stdout })[Symbol.asyncIterator]();
  const answers: unknown[] = [];
  while (answers.length < 3) answers.push(JSON.parse(String((await lines.next()).value)));
  stdin.end();
  await served;
  expect(answers).toEqual([
    { jsonrpc: '2.0', id: null, error: { code: -32_700, message: 'Parse error' } },
    { jsonrpc: '2.0', id: null, error: { code: -32_600, message: 'Invalid Request' } },
    { jsonrpc: '2.0', id: 1, result: {} },
  ]);
});
