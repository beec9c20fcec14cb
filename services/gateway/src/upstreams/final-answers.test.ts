import { afterEach, expect, it, jest } from '@jest/globals';
import type { ServerResponse } from 'node:http';
import { FinalAnswers, type AskedFor } from './final-answers.ts';

const ASKED: AskedFor = { method: 'GET', url: '/v1/x', headers: {}, plan: 'free' };
const HEADERS = { 'cache-control': 'public, max-age=1, immutable' };

afterEach(() => {
  jest.restoreAllMocks();
});

/** The answer to a question from memory; undefined if there is none. */
function found(answers: FinalAnswers, asked: AskedFor, destroyed = false): string | undefined {
  const sent: string[] = [];
  const response = {
    destroyed,
    writeHead: () => undefined,
    end: (body: Uint8Array) => void sent.push(Buffer.from(body).toString()),
  } as unknown as ServerResponse;
  answers.find(asked, response)?.send([]);
  return sent[0];
}

/** A memory of one answer. */
function keeping(
  headers: Record<string, string>,
  body = Buffer.from('{"a":1}'),
  asked = ASKED,
): FinalAnswers {
  const answers = new FinalAnswers(1_000_000);
  answers.keep(asked, { headers, body, units: 2 }, (tag) => tag);
  return answers;
}

it('a final answer is kept as a copy, for the same question', () => {
  const body = Buffer.from('{"a":1}');
  const answers = keeping(HEADERS, body);
  // It was a part of a larger buffer, which goes on to be used.
  body.fill(0);
  expect(found(answers, ASKED)).toBe('{"a":1}');
  expect(answers.hits).toBe(1);
  expect(found(answers, ASKED, true)).toBeUndefined();
});

it('an answer is forgotten after ten minutes, by the clock at that search', () => {
  let now = 1_000;
  jest.spyOn(performance, 'now').mockImplementation(() => now);
  const answers = keeping(HEADERS);
  now += 600_000;
  expect(found(answers, ASKED)).toBe('{"a":1}');
  now += 1;
  expect(found(answers, ASKED)).toBeUndefined();
});

it.each<[string, Partial<AskedFor>]>([
  ['another method', { method: 'HEAD' }],
  ['another URL', { url: '/v1/y' }],
  ['another plan', { plan: 'paid' }],
  ['another encoding', { headers: { 'accept-encoding': 'gzip' } }],
  ...(['if-none-match', 'if-modified-since', 'if-match', 'if-range', 'range'] as const).map(
    (name): [string, Partial<AskedFor>] => [name, { headers: { [name]: 'x' } }],
  ),
])('it answers no question with %s, whose answer is not kept as this one’s', (_what, other) => {
  expect(found(keeping(HEADERS), { ...ASKED, ...other })).toBeUndefined();
  expect(found(keeping(HEADERS, undefined, { ...ASKED, ...other }), ASKED)).toBeUndefined();
});

it('no other answer is kept: one that may change, that varies, or that is long', () => {
  expect(found(keeping({ 'cache-control': 'public, max-age=1' }), ASKED)).toBeUndefined();
  expect(found(keeping({}), ASKED)).toBeUndefined();
  expect(found(keeping({ ...HEADERS, vary: 'accept' }), ASKED)).toBeUndefined();
  expect(found(keeping({ ...HEADERS, vary: 'Accept-Encoding' }), ASKED)).toBe('{"a":1}');
  expect(found(keeping(HEADERS, Buffer.alloc(16 * 1024)), ASKED)).toHaveLength(16 * 1024);
  expect(found(keeping(HEADERS, Buffer.alloc(16 * 1024 + 1)), ASKED)).toBeUndefined();
});
