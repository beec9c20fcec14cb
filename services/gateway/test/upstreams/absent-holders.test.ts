import { expect, it } from '@jest/globals';
import { ABSENT_HOLDERS } from '../../src/upstreams/own-answer.ts';

it('says that no token is indexed, where there is no holders service', async () => {
  interface Said {
    readonly status: number;
    readonly lifetime: unknown;
    readonly body: Record<string, unknown>;
  }
  const said = await new Promise<Said>((resolve, reject) => {
    let [status, text] = [0, ''];
    let lifetime: unknown;
    const request = {
      method: 'GET',
      path: '/v1/eth-mainnet/token/holders',
      headers: ['accept', '*/*', 'x-request-id', 'r-1'],
      body: null,
    };
    ABSENT_HOLDERS.dispatch(request, {
      head: (code, headers) => ([status, lifetime] = [code, headers['cache-control']]),
      data: (chunk) => (text += chunk.toString()) !== '',
      end: () => resolve({ status, lifetime, body: JSON.parse(text) as Record<string, unknown> }),
      fail: reject,
    });
  });
  expect([said.status, said.lifetime]).toEqual([409, 'no-store']);
  expect(said.body).toMatchObject({ code: 'not_indexed', statusCode: 409, request_id: 'r-1' });
  expect(said.body.message).toContain('HOLDERS_URL');
});
