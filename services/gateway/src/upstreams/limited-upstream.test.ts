import { expect, it } from '@jest/globals';
import { createLimitedUpstream } from './limited-upstream.ts';
import type { Exchange, UpstreamSink } from './upstream.ts';

it('does not send a request that is cancelled in the moment of its admission, and gives its place on', async () => {
  const sent = new Map<string, UpstreamSink>();
  const limited = createLimitedUpstream(
    {
      dispatch({ path }, sink): Exchange {
        sent.set(path, sink);
        return { resume: () => undefined, cancel: () => undefined };
      },
      close: async () => undefined,
    },
    { atOnce: 1, waiting: 2 },
  );
  const failures: string[] = [];
  const ask = (path: string): Exchange =>
    limited.dispatch(
      { method: 'GET', path, headers: [], body: null },
      {
        head: () => undefined,
        data: () => true,
        end: () => undefined,
        fail: ({ message }) => void failures.push(`${path} ${message}`),
      },
    );
  ask('/first');
  const second = ask('/second');
  ask('/third');
  sent.get('/first')!.end();
  second.cancel(new Error('the client left'));
  await new Promise(setImmediate);
  expect([...sent.keys()]).toEqual(['/first', '/third']);
  expect(failures).toEqual(['/second the client left']);
  await limited.close();
});
