/** An answer passes only once its cost is recorded: step by step, with a service, a client and a record of the test's own. */
import { expect, it } from '@jest/globals';
import { meterUpstream } from './metered-upstream.ts';
import type { Exchange, UpstreamSink } from './upstream.ts';

const settle = (): Promise<void> => new Promise(setImmediate);

/** A metered exchange that has begun, and all that happens to it. */
function open(statusCode = 200) {
  const seen: string[] = [];
  const records: { resolve: () => void; reject: (error: Error) => void }[] = [];
  let hasRoom = true;
  let service: UpstreamSink | undefined;
  const upstream = meterUpstream(
    {
      dispatch(_request, sink): Exchange {
        service = sink;
        return {
          resume: () => void seen.push('service resumed'),
          cancel: ({ message }) => void seen.push(`service cancelled: ${message}`),
        };
      },
      close: async () => undefined,
    },
    {
      record() {
        const { promise, resolve, reject } = Promise.withResolvers<void>();
        records.push({ resolve, reject });
        return promise;
      },
    },
  );
  const exchange = upstream.dispatch(
    { method: 'GET', path: '/', headers: [], body: null },
    {
      head: () => undefined,
      data: (chunk) => (seen.push(String(chunk)), hasRoom),
      end: () => void seen.push('end'),
      fail: ({ message }) => void seen.push(`failed: ${message}`),
    },
  );
  service!.head(statusCode, {});
  return {
    ...{ seen, exchange, service: service!, records },
    fill: (isFull: boolean) => void (hasRoom = !isFull),
    recorded: async () => (records.shift()!.resolve(), settle()),
  };
}

it('passes what has come once it is recorded, in order, and ends once its end is recorded, too', async () => {
  const { seen, service, records, recorded } = open();
  service.data(Buffer.from('a'));
  service.data(Buffer.from('b'));
  expect([seen, records.length]).toEqual([[], 1]);
  await recorded();
  expect(seen).toEqual(['a', 'service resumed']);
  service.end();
  expect(records).toHaveLength(1);
  await recorded();
  expect(seen).toEqual(['a', 'service resumed', 'b']);
  await recorded();
  expect(seen).toEqual(['a', 'service resumed', 'b', 'end']);
});

it('holds 64 KiB while it is recorded, and says to its service that there is room again', async () => {
  const { service, recorded, seen } = open();
  const chunk = Buffer.alloc(40 * 1024, 'x');
  expect([service.data(chunk), service.data(chunk)]).toEqual([true, false]);
  await recorded();
  await recorded();
  expect(seen.filter((one) => one === 'service resumed')).toHaveLength(2);
  expect(service.data(chunk)).toBe(true);
});

it('waits for a client that is full, with nothing recorded that does not pass', async () => {
  const { seen, service, fill, exchange, records, recorded } = open();
  fill(true);
  service.data(Buffer.from('a'));
  service.data(Buffer.from('b'));
  await recorded();
  expect([seen, records.length]).toEqual([['a'], 0]);
  fill(false);
  exchange.resume();
  await recorded();
  expect(seen).toEqual(['a', 'service resumed', 'b', 'service resumed']);
});

it('passes a refusal at once, unrecorded', () => {
  const { seen, service, records } = open(429);
  service.data(Buffer.from('no'));
  service.end();
  expect([seen, records.length]).toEqual([['no', 'end'], 0]);
});

it('fails once where what it costs cannot be recorded, and passes nothing', async () => {
  const { seen, service, records } = open();
  service.data(Buffer.from('a'));
  records[0]!.reject(new Error('the disk is full'));
  await settle();
  service.fail(new Error('cancelled'));
  service.end();
  await settle();
  expect(seen).toEqual(['service cancelled: what it costs cannot be recorded', 'failed: the disk is full']);
});

it.each<[string, (at: ReturnType<typeof open>) => void, readonly string[]]>([
  ['its client has left', ({ exchange }) => exchange.cancel(new Error('left')), ['service cancelled: left']],
  ['its service has failed', ({ service }) => service.fail(new Error('broken')), ['failed: broken']],
])('passes nothing, and has no end, once %s during a record', async (_what, happen, expected) => {
  for (const isLast of [false, true]) {
    const at = open();
    if (!isLast) at.service.data(Buffer.from('a'));
    at.service.end();
    happen(at);
    await at.recorded();
    expect([isLast, at.seen, at.records.length]).toEqual([isLast, expected, 0]);
  }
});
