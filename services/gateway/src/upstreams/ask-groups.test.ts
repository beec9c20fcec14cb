import { expect, it } from '@jest/globals';
import { ask, headersOf, listIn, wholeAnswer, type NetworkGroup, type Outcome } from './ask-groups.ts';
import type { Upstream } from './upstream.ts';

const REQUEST = { method: 'GET', path: '/', headers: [], body: null };
const LEFT = new AbortController().signal;

/** A group whose process answers so; one without an answer is silent. */
function groupOf(statusCode?: number, body = ''): NetworkGroup {
  const upstream: Upstream = {
    dispatch(_request, sink) {
      if (statusCode !== undefined) {
        sink.head(statusCode, {});
        sink.data(Buffer.from(body));
        sink.end();
      }
      return { resume: () => undefined, cancel: (reason) => sink.fail(reason) };
    },
    close: async () => undefined,
  };
  return { upstream };
}

const told = (statusCode?: number, body?: string, left = LEFT): Promise<Outcome> =>
  ask({ withinMs: 20 }, groupOf(statusCode, body), REQUEST, left);

it('an error is the service’s own where it can be read', async () => {
  const error = { message: 'Not now.', error: 'Busy', statusCode: 503, code: 'overloaded' };
  expect((await told(503, JSON.stringify({ ...error, request_id: 'r' }))).error).toEqual(error);
  for (const body of ['', '<html>', 'null', '5', '{}', JSON.stringify({ ...error, message: 5 })])
    expect((await told(503, body)).error).toMatchObject({ code: 'service_unavailable' });
  for (const field of ['message', 'error', 'statusCode', 'code'])
    expect((await told(503, JSON.stringify({ ...error, [field]: undefined }))).error).toMatchObject({
      message: 'The service gave no answer that can be read.',
    });
  expect((await told(200, '{}')).error).toBeUndefined();
});

it('a silent process is late, unless its client has left', async () => {
  expect((await told()).error).toMatchObject({ code: 'deadline_exceeded' });
  const leaving = new AbortController();
  const asked = told(undefined, undefined, leaving.signal);
  leaving.abort(new Error('left'));
  await expect(asked).rejects.toThrow('left');
});

it('a list is one, in an answer that can be read', () => {
  const read = (body: string) =>
    listIn({ statusCode: 200, headers: {}, body: Buffer.from(body) }, 'networks');
  expect(read('{"networks":[{"network_name":"a"}]}')).toEqual([{ network_name: 'a' }]);
  for (const body of ['', '[', '5', '{}', '{"networks":{}}', '{"networks":"a"}'])
    expect(read(body)).toBeUndefined();
});

it('an answer stands for all where the question is wrong, or none has another', async () => {
  const error = (statusCode: number, code: string) =>
    told(statusCode, JSON.stringify({ message: code, error: 'Some', statusCode, code }));
  const [good, wrong, absent, down] = [
    await told(200, '{}'),
    await error(400, 'invalid_parameter'),
    await error(404, 'unknown_network'),
    await error(503, 'overloaded'),
  ];
  expect(wholeAnswer([good, wrong])).toBe(wrong.answer);
  expect(wholeAnswer([good, absent])).toBeUndefined();
  expect(wholeAnswer([good, down])).toBeUndefined();
  expect(wholeAnswer([absent, down])).toBe(absent.answer);
  expect(() => wholeAnswer([{ ...down, answer: undefined, cause: new Error('refused') }])).toThrow('refused');
});

it('no header that makes an answer unreadable here is passed on', () => {
  const headers = [
    'accept-encoding',
    'gzip',
    'x-plan',
    'free',
    'if-none-match',
    '"x"',
    'content-length',
    '5',
  ];
  expect(headersOf({ ...REQUEST, headers })).toEqual(['x-plan', 'free']);
});
