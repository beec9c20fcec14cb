/** Messages from the revision 2026-07-28 on, as no client sends them. Those of clients: tests/clients/mcp.test.ts. */
import { createClient } from '@hindsight/client';
import { describe, expect, it } from '@jest/globals';
import { answerStateless, isStateless, type MirroredHeaders } from './stateless.ts';

const REVISION = '2026-07-28';
const PREFIX = 'io.modelcontextprotocol/';
const meta = (capabilities: unknown = {}): object => ({
  _meta: { [`${PREFIX}protocolVersion`]: REVISION, [`${PREFIX}clientCapabilities`]: capabilities },
});
const api = {
  client: createClient({ apiKey: 'hs_key', url: 'http://127.0.0.1' }),
  url: 'http://127.0.0.1',
  signal: new AbortController().signal,
};
const ask = (message: object, headers?: MirroredHeaders) => answerStateless(api, message, headers);

describe('a message', () => {
  it.each([null, 1.5, 2 ** 53, {}, true])('with the id %j is refused without it', async (id) => {
    expect(await ask({ id, method: 'tools/list', params: meta() })).toMatchObject({
      status: 400,
      body: { id: null, error: { code: -32_600 } },
    });
  });

  it.each(['', 'x', 0, -7])('with the id %j is answered with it', async (id) => {
    expect(await ask({ id, method: 'tools/list', params: meta() })).toMatchObject({
      status: 200,
      body: { id, result: { resultType: 'complete' } },
    });
  });

  it('without an id is a notification, whatever else it has', async () => {
    for (const message of [{}, { method: 'notifications/cancelled' }, { method: 7, params: meta() }])
      expect(await ask(message)).toEqual({ status: 202, body: null });
  });

  it.each<[string, object, number, number]>([
    ['no method', { params: meta() }, 400, -32_600],
    ['a method that is no text', { method: 7, params: meta() }, 400, -32_600],
    ['no parameters', { method: 'tools/list' }, 400, -32_602],
    ['no capabilities', { method: 'tools/list', params: meta(null) }, 400, -32_602],
    ['capabilities that are no object', { method: 'tools/list', params: meta('all') }, 400, -32_602],
    ['no name of a tool', { method: 'tools/call', params: meta() }, 400, -32_602],
    ['the name of no method', { method: 'toString', params: meta() }, 404, -32_601],
  ])('that has %s is refused', async (_what, message, status, code) => {
    expect(await ask({ id: 1, ...message })).toMatchObject({ status, body: { id: 1, error: { code } } });
  });

  it('quotes a long method in part', async () => {
    const { body } = await ask({ id: 1, method: 'x'.repeat(1_000), params: meta() });
    expect(body).toMatchObject({ error: { message: `Method not found: ${'x'.repeat(60)}` } });
  });

  it('has the name that its header repeats where it has one, and needs no header where it has none', async () => {
    const headers = { version: REVISION, method: 'tools/list', name: 'usage' };
    const listed = { id: 1, method: 'tools/list', params: meta() };
    expect(await ask(listed, headers)).toMatchObject({ status: 200 });
    const called = { id: 1, method: 'tools/call', params: { ...meta(), name: 'none' } };
    const own = { ...headers, method: 'tools/call' };
    for (const name of ['none', '=?base64?bm9uZQ==?='])
      expect(await ask(called, { ...own, name })).toMatchObject({ status: 200 });
    for (const name of ['None', 'x=?base64?bm9uZQ==?=', '=?base64?bm9uZQ==?=x', undefined])
      expect(await ask(called, { ...own, name })).toMatchObject({ body: { error: { code: -32_020 } } });
  });
});

it.each<[object, string | undefined, boolean]>([
  [{ method: 'server/discover' }, undefined, true],
  [{ method: 'tools/list', params: meta() }, undefined, true],
  [{ method: 'tools/list' }, REVISION, true],
  [{ method: 'tools/list' }, '2025-11-25', false],
  [{ method: 'tools/list', params: { _meta: 'text' } }, undefined, false],
  [{ method: 'tools/list', params: null }, undefined, false],
  [{}, undefined, false],
])('%j with the version %s is of the revision: %s', (message, version, expected) => {
  expect(isStateless(message, version)).toBe(expected);
});
