import { expect, it } from '@jest/globals';
import { createClient } from '@hindsight/client';
import { PassThrough } from 'node:stream';
import { serveStdio } from './stdio.ts';

it('a message without end ends the service, which says so', async () => {
  const url = 'http://127.0.0.1:1';
  const { signal } = new AbortController();
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  const served = serveStdio(
    { client: createClient({ url, apiKey: 'a-key' }), url, signal },
    { stdin, stdout },
  );
  stdin.end(Buffer.alloc(11 * 1024 * 1024, 'x'));
  await expect(served).rejects.toThrow('expected messages of at most 10485760 bytes');
});
