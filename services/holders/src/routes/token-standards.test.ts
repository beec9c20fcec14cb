import { afterEach, expect, it } from '@jest/globals';
import { connectService } from '@hindsight/http/http-service.ts';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { BalanceQuestions } from './balance-answers.ts';
import { TokenStandards } from './token-standards.ts';

const TOKEN = `0x${'1a'.repeat(20)}`;
const ends: (() => unknown)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

it('are not guessed while nodes fail to say what a token is', async () => {
  const rows: object[] = [{ error: { statusCode: 504, message: 'late' } }, { token_type: 'erc721' }];
  const server = createServer((_request, response) => response.end(JSON.stringify([rows.shift()])));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const api = connectService('balance', `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`);
  ends.push(
    () => server.close(),
    () => server.closeAllConnections(),
    () => api.close(),
  );
  const standards = new TokenStandards(new BalanceQuestions(api, 'eth-mainnet'));
  const ask = () => standards.of([TOKEN], '0x', AbortSignal.timeout(60_000));
  await expect(ask()).rejects.toMatchObject({ code: 'service_unavailable', statusCode: 503 });
  expect([...(await ask())]).toEqual([[TOKEN, 'erc721']]);
});
