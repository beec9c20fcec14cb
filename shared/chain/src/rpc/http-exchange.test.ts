/** One exchange with a node, as undici reports it: event by event. */
import { afterEach, expect, it, jest } from '@jest/globals';
import type { Dispatcher } from 'undici';
import { exchange } from './http-exchange.ts';

const REQUEST: Dispatcher.DispatchOptions = { path: '/', method: 'POST' };

afterEach(() => void jest.useRealTimers());

/** An exchange under way, and the handler that hears of it. */
function begin({
  signal,
  maxBytes = 10,
}: { readonly signal?: AbortSignal; readonly maxBytes?: number } = {}) {
  let handler: Required<Dispatcher.DispatchHandler> | undefined;
  const aborted: unknown[] = [];
  const controller = {
    abort: (reason: unknown) => aborted.push(reason),
  } as unknown as Dispatcher.DispatchController;
  const dispatcher = {
    dispatch: (_request: unknown, to: Required<Dispatcher.DispatchHandler>) => ((handler = to), true),
  } as unknown as Dispatcher;
  const answer = exchange(dispatcher, REQUEST, { label: 'the node', maxBytes, timeoutMs: 1_000, signal });
  const outcome = answer.catch((error: unknown) => error);
  const head = (headers: Readonly<Record<string, string>> = {}): void =>
    handler!.onResponseStart(controller, 200, headers, 'OK');
  const data = (text: string): void => handler!.onResponseData(controller, Buffer.from(text));
  const end = (): void => handler!.onResponseEnd(controller, {});
  const fail = (error: Error): void => handler!.onResponseError(controller, error);
  handler?.onRequestStart(controller, {});
  return { outcome, aborted, head, data, end, fail, isAsked: handler !== undefined };
}

it('is whole at its end, and leaves nothing behind', async () => {
  jest.useFakeTimers();
  const { signal } = new AbortController();
  const added = jest.spyOn(signal, 'addEventListener');
  const removed = jest.spyOn(signal, 'removeEventListener');
  const { outcome, head, data, end } = begin({ signal });
  head();
  for (const part of ['ab', 'c']) data(part);
  end();
  expect(await outcome).toEqual({ status: 200, text: 'abc', retryAfterMs: undefined });
  expect([added.mock.calls.length, removed.mock.calls.length, jest.getTimerCount()]).toEqual([1, 1, 0]);
});

it.each([
  ['is said to be', { 'content-length': '11' }, []],
  ['turns out to be', {}, ['12345678', '901']],
])(
  'that %s too large is broken off, and what still comes of it is dropped',
  async (_what, headers, parts) => {
    const { outcome, aborted, head, data, end } = begin();
    head(headers);
    for (const part of parts) data(part);
    expect(aborted).toHaveLength(1);
    data('more');
    end();
    expect(aborted).toHaveLength(1);
    expect(await outcome).toMatchObject({
      ...{ kind: 'malformed', details: { tooLarge: true } },
      message: 'the node answered more than 10 bytes',
    });
  },
);

it('of a caller that has left before is not begun', async () => {
  const reason = new Error('the caller has left');
  const { outcome, isAsked } = begin({ signal: AbortSignal.abort(reason) });
  expect([isAsked, await outcome]).toEqual([false, reason]);
});

it('ends with its caller, or after its time, and then its connection too', async () => {
  jest.useFakeTimers();
  const caller = new AbortController();
  const left = begin({ signal: caller.signal });
  const reason = new Error('the caller has left');
  caller.abort(reason);
  expect([await left.outcome, left.aborted]).toEqual([reason, [reason]]);
  const late = begin();
  jest.advanceTimersByTime(1_000);
  expect(await late.outcome).toMatchObject({ kind: 'timeout' });
  late.fail(new Error('aborted'));
  expect(late.aborted).toEqual([await late.outcome]);
});

it('that breaks off is named by its code alone: a message may quote the URL', async () => {
  const { outcome, fail } = begin();
  fail(Object.assign(new Error('connect https://node.example/v2/key'), { code: 'ECONNREFUSED' }));
  expect(await outcome).toMatchObject({
    ...{ kind: 'unreachable', message: 'the node could not be reached: ECONNREFUSED' },
  });
});

it.each([
  ['2', 2_000],
  ['0', 0],
  ['-1', undefined],
  [' ', undefined],
  ['soon', undefined],
  ['Infinity', undefined],
  ['Thu, 01 Jan 2026 00:00:05 GMT', 5_000],
  ['Wed, 31 Dec 2025 23:59:59 GMT', undefined],
])('may say %j about another time', async (wish, retryAfterMs) => {
  jest.useFakeTimers({ now: Date.UTC(2026, 0, 1) });
  const { outcome, head, end } = begin();
  head({ 'retry-after': wish });
  end();
  expect(await outcome).toMatchObject({ retryAfterMs });
});
