/** Texts that are no message, and readers that leave. The tools themselves: tests/clients/mcp.test.ts. */
import { createClient } from '@hindsight/client';
import { expect, it } from '@jest/globals';
import { answerOverHttp, refuseCall } from './http.ts';

const url = 'http://127.0.0.1';
const headers: [string, string][] = [
  ['accept', 'application/json, text/event-stream'],
  ['content-type', 'application/json'],
];
const CALL = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'usage', arguments: {} } };

/** Sends a text. @param fetch of the API */
function send(text: string, fetch?: typeof globalThis.fetch, signal = new AbortController().signal) {
  const client = createClient({ apiKey: 'hs_key', url, fetch });
  return answerOverHttp({ client, url, signal }, { headers, text });
}

it.each(['', 'x', 'null', '5', '"text"', '{}', ' [', '[]'])('%j is refused as no message', async (text) => {
  const { status, headers: sent } = await send(text);
  expect([status, sent.get('content-type')]).toEqual([400, 'application/json']);
});

it('a call whose reader leaves is not waited for', async () => {
  const left = new AbortController();
  const reason = new Error('the client has left');
  const fetch = (): Promise<never> => {
    left.abort(reason);
    return new Promise(() => undefined);
  };
  await expect(send(JSON.stringify(CALL), fetch, left.signal)).rejects.toBe(reason);
});

it('a refusal is told to the model only in the answer to a call', () => {
  const refuse = (message: unknown) =>
    refuseCall(typeof message === 'string' ? message : JSON.stringify(message), {
      ...{ name: 'ApiError', message: 'Burst limit exceeded.', status: 429, retryAt: new Date(0) },
    });
  for (const id of [1, 'a']) expect(refuse({ ...CALL, id })).toMatchObject({ id, result: { isError: true } });
  const { id: _, ...notification } = CALL;
  for (const message of [notification, { ...CALL, id: null }, { ...CALL, id: {} }])
    expect(refuse(message)).toBeUndefined();
  for (const message of [{ ...CALL, method: 'tools/list' }, [CALL], 'x', 'null'])
    expect(refuse(message)).toBeUndefined();
});
