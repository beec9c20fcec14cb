import { expect, it } from '@jest/globals';
import { ABSENT_HOLDERS } from '../../src/upstreams/own-answer.ts';

it('says that no token is indexed, where there is no holders service', async () => {
  const said = await new Promise<{ status: number; body: Record<string, unknown> }>((resolve, reject) => {
    let [status, text] = [0, ''];
    const request = {
      method: 'GET',
      path: '/v1/eth-mainnet/token/holders',
      headers: ['accept', '*/*', 'x-request-id', 'r-1'],
      body: null,
    };
    ABSENT_HOLDERS.dispatch(request, {
      head: (code) => (status = code),
      data: (chunk) => (text += chunk.toString()) !== '',
      end: () => resolve({ status, body: JSON.parse(text) as Record<string, unknown> }),
      fail: reject,
    });
  });
  expect(said.status).toBe(409);
  expect(said.body).toMatchObject({ code: 'not_indexed', statusCode: 409, request_id: 'r-1' });
  expect(said.body.message).toContain('HOLDERS_URL');
});
