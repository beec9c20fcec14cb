import { afterEach, describe, expect, it } from '@jest/globals';
import { connectService } from '@hindsight/http/http-service.ts';
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { LASTING } from '@hindsight/kernel/test/support/lasting.ts';
import type { AddressInfo } from 'node:net';
import { BalanceQuestions } from './balance-answers.ts';
import type { OpenQuestion, ServedHolders } from './indexed-question.ts';
import { LargestReader } from './largest-reader.ts';

const [HOLDER, OTHER] = [`0x${'2b'.repeat(20)}`, `0x${'3c'.repeat(20)}`];
const question = {
  asset: { token: `0x${'1a'.repeat(20)}`, hash: '0x', id: undefined, owner: undefined, facts: undefined },
  block: { number: 7 },
  index: { from_block: 0, to_block: 7 },
  track: '*',
  newer: [],
} as unknown as OpenQuestion;
const ends: (() => unknown)[] = [];

/** A network whose balance service answers like this. */
async function networkWith(answer: RequestListener): Promise<ServedHolders> {
  const server: Server = createServer(LASTING, answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const api = connectService('balance', `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`);
  ends.push(
    () => server.close(),
    () => server.closeAllConnections(),
    () => api.close(),
  );
  const index = {
    positions: async () => [{ from: 0, number: 7, hash: '0x' }],
    async *holders({ limit }: { readonly limit: number }) {
      yield [HOLDER, OTHER].slice(0, limit);
    },
  };
  return { index, balances: new BalanceQuestions(api, 'eth-mainnet') } as unknown as ServedHolders;
}

afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

describe('the largest holders', () => {
  it('are a 504 for every caller once reading them has taken too long', async () => {
    const network = await networkWith(() => undefined);
    const reader = new LargestReader(20);
    const error = { code: 'deadline_exceeded', statusCode: 504 };
    const callers = [reader.read(network, question), reader.read(network, question)];
    for (const caller of await Promise.allSettled(callers))
      expect(caller).toMatchObject({ status: 'rejected', reason: error });
  });

  it('are read of four tokens at a time, and of others once one of these is done', async () => {
    const network = await networkWith(() => undefined);
    const reader = new LargestReader(20);
    const read = (hash: string) => reader.read(network, { ...question, asset: { ...question.asset, hash } });
    const four = ['0x1', '0x2', '0x3', '0x4'].map(read);
    const fifth = read('0x5');
    await expect(fifth).rejects.toMatchObject({ code: 'overloaded', statusCode: 503 });
    await Promise.allSettled(four);
    await expect(read('0x5')).rejects.toMatchObject({ code: 'deadline_exceeded' });
  });

  it('are not those of the other windows where one of them could not be read', async () => {
    const refused = Promise.withResolvers<void>();
    const line = (record: object): string => `${JSON.stringify(record)}\n`;
    const read = line({ record: 'facts', tokens: [{}] }) + line({ record: 'end' });
    let windows = 0;
    const network = await networkWith((request, response) => {
      if (request.url?.includes('/supply')) return response.end(JSON.stringify({ total_supply: '1' }));
      if ((windows += 1) > 1) return response.end(read);
      return response.writeHead(500).end('{}', () => setImmediate(refused.resolve));
    });
    const index = {
      ...network.index,
      async *holders() {
        yield Array.from({ length: 10_000 }, (_, i) => `0x${i.toString(16).padStart(40, '0')}`);
        await refused.promise;
        await new Promise((resolve) => setTimeout(resolve, 20));
        yield [HOLDER];
      },
    };
    await expect(new LargestReader().read({ ...network, index }, question)).rejects.toMatchObject({
      statusCode: 502,
    });
  });

  it('are refused where events name more addresses than are read', async () => {
    const network = await networkWith((_request, response) => response.end('{}'));
    const error = { code: 'too_many_holders', message: expect.stringContaining('more than 1 addresses') };
    await expect(new LargestReader(5_000, 1).read(network, question)).rejects.toMatchObject(error);
  });

  it.each([
    ['at once', ''],
    ['after its facts', `${JSON.stringify({ record: 'facts', tokens: [{}] })}\n`],
  ])('are a 503 where the balances end %s', async (_when, text) => {
    const network = await networkWith((request, response) => {
      if (request.url?.includes('/supply')) response.end(JSON.stringify({ total_supply: '1' }));
      else response.end(text);
    });
    await expect(new LargestReader().read(network, question)).rejects.toMatchObject({
      code: 'service_unavailable',
      statusCode: 503,
    });
  });

  it.each([
    [504, [1, 0]],
    [404, [1, 1]],
  ])('of which an address was a %i are read again only where that may change', async (statusCode, errors) => {
    const line = (record: object): string => `${JSON.stringify(record)}\n`;
    const lines = [
      line({ record: 'error', holder: HOLDER, error: { statusCode } }),
      line({ record: 'balance', holder: HOLDER, balance: '1' }),
    ];
    const network = await networkWith((request, response) => {
      if (request.url?.includes('/supply')) response.end(JSON.stringify({ total_supply: '1' }));
      else response.end(line({ record: 'facts', tokens: [{}] }) + lines.shift()! + line({ record: 'end' }));
    });
    const reader = new LargestReader();
    expect((await reader.read(network, question)).totals.errors).toBe(errors[0]);
    expect((await reader.read(network, question)).totals.errors).toBe(errors[1]);
  });

  it('are a 503 where the connection breaks among the balances', async () => {
    const network = await networkWith((request, response) => {
      if (request.url?.includes('/supply')) response.end(JSON.stringify({ total_supply: '1' }));
      else response.write(`${JSON.stringify({ record: 'facts', tokens: [{}] })}\n`, () => response.destroy());
    });
    await expect(new LargestReader().read(network, question)).rejects.toMatchObject({
      code: 'service_unavailable',
      statusCode: 503,
    });
  });
});
