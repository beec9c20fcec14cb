import { expect, it } from '@jest/globals';
import { Readable } from 'node:stream';
import { SNAPSHOTS } from '../limits/slots.ts';
import { createLimitedUpstream } from './limited-upstream.ts';
import type { Exchange, UpstreamRequest, UpstreamSink } from './upstream.ts';

/** A receiver that takes any answer, and notes only failures. */
function failingTo(fail: UpstreamSink['fail']): UpstreamSink {
  return { head: () => undefined, data: () => true, end: () => undefined, fail };
}

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
      failingTo(({ message }) => void failures.push(`${path} ${message}`)),
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

it.each<[string, (sink: UpstreamSink) => void]>([
  ['ends twice', (sink) => (sink.end(), sink.end())],
  ['fails twice', (sink) => (sink.fail(new Error('broken')), sink.fail(new Error('again')))],
  ['ends, and fails then', (sink) => (sink.end(), sink.fail(new Error('again')))],
  ['ends at a receiver that throws', (sink) => expect(() => sink.end()).toThrow('no end')],
])('gives the place of an answer on once: one that %s', (what, end) => {
  const sent: UpstreamSink[] = [];
  const outcomes: string[] = [];
  const limited = createLimitedUpstream(
    {
      dispatch: (_request, sink) => (sent.push(sink), { resume: () => undefined, cancel: () => undefined }),
      close: async () => undefined,
    },
    { atOnce: 1, waiting: 9 },
  );
  const ask = (): Exchange =>
    limited.dispatch(
      { method: 'GET', path: '/', headers: [], body: null },
      {
        head: () => undefined,
        data: () => true,
        end() {
          outcomes.push('end');
          if (what.includes('throws')) throw new Error('no end');
        },
        fail: ({ message }) => void outcomes.push(message),
      },
    );
  ask();
  end(sent[0]!);
  expect(outcomes).toHaveLength(1);
  ask();
  ask();
  expect(sent).toHaveLength(2);
});

it('gives the place of a request on whose upstream throws, also to one that waited', async () => {
  const [sent, failures]: [UpstreamSink[], string[]] = [[], []];
  const limited = createLimitedUpstream(
    {
      dispatch({ path }, sink): Exchange {
        if (path === '/thrown') throw new Error('too many open files');
        sent.push(sink);
        return { resume: () => undefined, cancel: () => undefined };
      },
      close: async () => undefined,
    },
    { atOnce: 1, waiting: 2 },
  );
  const ask = (path: string): Exchange =>
    limited.dispatch(
      { method: 'GET', path, headers: [], body: null },
      failingTo(({ message }) => void failures.push(message)),
    );
  ask('/thrown');
  ask('/first');
  ask('/thrown');
  ask('/last');
  sent[0]!.end();
  await new Promise(setImmediate);
  expect([sent.length, failures]).toEqual([2, ['too many open files', 'too many open files']]);
});

it('has places of their own for streams, which do not wait, and for answers without end', async () => {
  let sent = 0;
  const failures: Error[] = [];
  const limited = createLimitedUpstream(
    {
      dispatch: () => ((sent += 1), { resume: () => undefined, cancel: () => undefined }),
      close: async () => undefined,
    },
    { atOnce: 1, waiting: 0 },
  );
  const ask = (other: Partial<UpstreamRequest>): Exchange =>
    limited.dispatch(
      { method: 'POST', path: '/', headers: [], body: null, ...other },
      failingTo((error) => void failures.push(error)),
    );
  ask({});
  const { all } = SNAPSHOTS.places;
  for (let streams = 0; streams < all; streams++) ask({ body: () => Readable.from([]) });
  ask({ endless: true });
  expect([sent, failures.length]).toEqual([all + 2, 0]);
  ask({ body: () => Readable.from([]) });
  await new Promise(setImmediate);
  expect([sent, failures.map(({ name }) => name)]).toEqual([all + 2, ['Overloaded']]);
});
