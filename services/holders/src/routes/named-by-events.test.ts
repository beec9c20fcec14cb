import { expect, it } from '@jest/globals';
import { createHttpServer } from '@hindsight/http/server.ts';
import { createLifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { ALL_TOKENS } from '../domain/tracks.ts';
import { addNamedByEvents, type ServedNames } from './named-by-events.ts';

it('an index that no question has started is a 503, and no failure in the log', async () => {
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  const logger = createLogger({ name: 'test', level: 'info', destination });
  const lifecycle = createLifecycle(createLogger({ name: 'test', level: 'silent' }));
  const app = createHttpServer({ logger, lifecycle });
  const network = { name: 'eth-mainnet', chainId: 1, tracks: [ALL_TOKENS], isWalked: () => false };
  addNamedByEvents(app, new Map([['eth-mainnet', network as unknown as ServedNames]]));
  const url = `/internal/eth-mainnet/holdings?account=0x${'1'.repeat(40)}&up_to=1`;
  const answer = await app.inject({ url });
  expect({
    status: answer.statusCode,
    after: answer.headers['retry-after'],
    ...answer.json<object>(),
  }).toMatchObject({
    status: 503,
    after: '5',
    code: 'index_behind',
  });
  expect(lines.filter((line) => line.includes('request failed'))).toEqual([]);
  await app.close();
});

const ACCOUNT = `0x${'1'.repeat(40)}`;

it.each([
  ['holdings', { account: ACCOUNT, up_to: '7' }],
  ['approvals', { account: ACCOUNT, up_to: '7' }],
  ['blocks', { token: ACCOUNT, holder: ACCOUNT, from: '0', to: '7', limit: '9' }],
])('an index that is removed while it names %s is a 503, and no empty answer', async (kind, query) => {
  const position = { from: 0, number: 7, hash: '0x7' };
  const positions = [position, position, position, null];
  const index = {
    position: async () => positions.shift(),
    positions: async () => [positions.shift()],
    tokensOf: async () => [],
    approvalsOf: async () => [],
    blocks: async () => [],
  };
  const network = { name: 'eth-mainnet', chainId: 1, tracks: [ALL_TOKENS], index };
  const logger = createLogger({ name: 'test', level: 'silent' });
  const app = createHttpServer({ logger, lifecycle: createLifecycle(logger) });
  addNamedByEvents(
    app,
    new Map([['eth-mainnet', { ...network, isWalked: () => true } as unknown as ServedNames]]),
  );
  const url = `/internal/eth-mainnet/${kind}?${new URLSearchParams(query).toString()}`;
  expect((await app.inject({ url })).json<object>()).toMatchObject({ from: 0, rows: [] });
  expect((await app.inject({ url })).json<object>()).toMatchObject({ code: 'index_behind' });
  await app.close();
});
