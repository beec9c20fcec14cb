import { afterEach, expect, it } from '@jest/globals';
import { CRYPTO_PUNKS } from '@hindsight/chain/networks.ts';
import { connectService } from '@hindsight/http/http-service.ts';
import type { OtherService } from '@hindsight/http/other-service.ts';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { LASTING } from '@hindsight/kernel/test/support/lasting.ts';
import type { AddressInfo } from 'node:net';
import { BalanceQuestions } from './balance-answers.ts';
import { TokenStandards } from './token-standards.ts';

const TOKEN = `0x${'1a'.repeat(20)}`;
const ends: (() => unknown)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

/** Standards by a balance service that answers one request after the other with a row. */
async function standardsBy(...rows: object[]): Promise<TokenStandards> {
  const server = createServer(LASTING, (_request, response) => response.end(JSON.stringify([rows.shift()])));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const api = connectService('balance', `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`);
  ends.push(
    () => server.close(),
    () => server.closeAllConnections(),
    () => api.close(),
  );
  return new TokenStandards(new BalanceQuestions(api, 'eth-mainnet'));
}

async function ask(standards: TokenStandards, token: string): Promise<readonly unknown[]> {
  return [...(await standards.of([token], '0x', AbortSignal.timeout(60_000)))];
}

it.each([
  ['while nodes fail to say what a token is', { statusCode: 504, message: 'late' }],
  [
    'where the last block was reorganised away',
    { statusCode: 404, code: 'block_not_canonical', message: 'it is gone' },
  ],
])('are not guessed %s', async (_when, fault) => {
  const standards = await standardsBy({ error: fault }, { token_type: 'erc721' });
  const error = { code: 'service_unavailable', statusCode: 503 };
  await expect(ask(standards, TOKEN)).rejects.toMatchObject(error);
  expect(await ask(standards, TOKEN)).toEqual([[TOKEN, 'erc721']]);
});

it('are their own for CryptoPunks, whose transfers have a number and no id', async () => {
  const standards = await standardsBy({ token_type: 'erc721' });
  expect(await ask(standards, CRYPTO_PUNKS)).toEqual([[CRYPTO_PUNKS, 'punks']]);
});

it('are found where another page empties the memory meanwhile', async () => {
  const [other, released] = [`0x${'2b'.repeat(20)}`, Promise.withResolvers<void>()];
  const answer = async function* (text: string): AsyncGenerator<string> {
    const rows = JSON.parse(text) as { token_address: string }[];
    if (rows[0]?.token_address === other) await released.promise;
    yield JSON.stringify(rows.map(() => ({ token_type: 'erc20' })));
  };
  const ask: OtherService['ask'] = async ({ body }) => ({
    status: 200,
    retryAfter: undefined,
    body: answer(body!.text),
  });
  const standards = new TokenStandards(new BalanceQuestions({ ask }, 'eth-mainnet'));
  const of = (tokens: readonly string[]) => standards.of(tokens, '0x', AbortSignal.timeout(60_000));
  await of([TOKEN]);
  const asked = of([TOKEN, other]);
  await of(Array.from({ length: 10_001 }, (_, i) => `0x${i.toString(16).padStart(40, '0')}`));
  released.resolve();
  expect([...(await asked).keys()]).toEqual([TOKEN, other]);
});

it('are asked for once, also where another one of their page is not known yet', async () => {
  const [other, asked]: [string, string[][]] = [`0x${'2b'.repeat(20)}`, []];
  const late = { error: { statusCode: 504, message: 'late' } };
  const answers = [[{ token_type: 'erc20' }, late], [{ token_type: 'erc721' }]];
  const ask: OtherService['ask'] = async ({ body }) => {
    const rows = JSON.parse(body!.text) as { token_address: string }[];
    asked.push(rows.map((row) => row.token_address));
    const text = JSON.stringify(answers.shift());
    return {
      status: 200,
      retryAfter: undefined,
      body: (async function* () {
        yield text;
      })(),
    };
  };
  const standards = new TokenStandards(new BalanceQuestions({ ask }, 'eth-mainnet'));
  const of = () => standards.of([TOKEN, other], '0x', AbortSignal.timeout(60_000));
  await expect(of()).rejects.toMatchObject({ statusCode: 503 });
  expect([...(await of()).keys()]).toEqual([TOKEN, other]);
  expect(asked).toEqual([[TOKEN, other], [other]]);
});

it('are those of the latest block where no node has the state of the last one', async () => {
  const pruned = { error: { statusCode: 502, code: 'state_unavailable', message: 'it is gone' } };
  expect(await ask(await standardsBy(pruned, { token_type: 'erc20' }), TOKEN)).toEqual([[TOKEN, 'erc20']]);
  await expect(ask(await standardsBy(pruned, pruned), TOKEN)).rejects.toMatchObject({ statusCode: 503 });
});
