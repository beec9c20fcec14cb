import { expect, it } from '@jest/globals';
import { dispatchWhole, gather, type GatheredAnswer } from './gather.ts';
import type { Upstream, UpstreamSink } from './upstream.ts';

const REQUEST = { method: 'GET', path: '/', headers: [], body: null };

/** An upstream that answers when the test does, and all that happens to its requests. */
function held() {
  const seen: string[] = [];
  const sinks: UpstreamSink[] = [];
  const upstream: Upstream = {
    dispatch(_request, sink) {
      seen.push('asked');
      sinks.push(sink);
      return { resume: () => undefined, cancel: ({ message }) => void seen.push(`cancelled: ${message}`) };
    },
    close: async () => undefined,
  };
  return { upstream, seen, sinks };
}

it('an answer is gathered whole', async () => {
  const { upstream, sinks } = held();
  const gathered = gather(upstream, REQUEST, new AbortController().signal);
  const [sink] = sinks;
  sink!.head(404, { vary: 'accept' });
  for (const part of ['a', 'b']) sink!.data(Buffer.from(part));
  sink!.end();
  expect(await gathered).toEqual({ statusCode: 404, headers: { vary: 'accept' }, body: Buffer.from('ab') });
});

it('nothing is asked for who has left, and who leaves cancels', async () => {
  const { upstream, seen } = held();
  await expect(gather(upstream, REQUEST, AbortSignal.abort(new Error('left')))).rejects.toThrow('left');
  expect(seen).toEqual([]);
  const leaving = new AbortController();
  const gathered = gather(upstream, REQUEST, leaving.signal);
  leaving.abort(new Error('left'));
  await expect(gathered).rejects.toThrow('left');
  expect(seen).toEqual(['asked', 'cancelled: left']);
});

it('an answer that was made for a client who has left is not sent', async () => {
  const made = Promise.withResolvers<GatheredAnswer>();
  const failed = Promise.withResolvers<Error>();
  const sink = { head: () => failed.reject(new Error('sent')), data: () => true, end: () => undefined };
  const exchange = dispatchWhole({ ...sink, fail: failed.resolve }, () => made.promise);
  exchange.cancel(new Error('left'));
  made.resolve({ statusCode: 200, headers: {}, body: Buffer.alloc(0) });
  expect((await failed.promise).message).toBe('left');
});
