/** The parts of an answer over networks: the time that their processes have, and what is made of them. */
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { tellAvailable } from './available.ts';
import { createOverNetworks } from './over-networks.ts';
import type { Upstream, UpstreamRequest, Upstreams } from './upstream.ts';

/** A service whose answers are made of its requests; undefined where it cannot be reached. */
function serviceOf(answer: (request: UpstreamRequest) => object | undefined, statusCode = 200): Upstream {
  return {
    dispatch(request, sink) {
      const body = answer(request);
      if (body === undefined) sink.fail(new Error('it cannot be reached'));
      else {
        sink.head(statusCode, {});
        sink.data(Buffer.from(JSON.stringify(body)));
        sink.end();
      }
      return { resume: () => undefined, cancel: () => undefined };
    },
    close: async () => undefined,
  };
}

/** Answers with a list of no networks, and of no blocks. */
const EMPTY = serviceOf(() => ({ networks: [], blocks: [] }));

const ask = (upstream: Upstream, path: string, headers: string[] = []) =>
  new Promise<{ readonly status: number; readonly body: Readonly<Record<string, unknown>> }>(
    (resolve, reject) => {
      let [status, body] = [0, ''];
      upstream.dispatch(
        { method: 'GET', path, headers, body: null },
        {
          head: (statusCode) => (status = statusCode),
          data: (chunk) => (body += chunk.toString()) !== '',
          end: () => resolve({ status, body: JSON.parse(body) }),
          fail: reject,
        },
      );
    },
  );

afterEach(() => void jest.restoreAllMocks());

it.each([
  ['/v1/networks', 60_000, 4_000],
  ['/v1/networks', 300, 300],
  ['/v1/blocks?date=2026-01-01', 60_000, 60_000],
])('%s, where answers take %d ms at the most, waits for %d ms', async (path, withinMs, expected) => {
  const timeout = jest.spyOn(AbortSignal, 'timeout');
  const groups = ['eth-mainnet', 'base-mainnet'].map((name) => ({ upstream: EMPTY, networks: [name] }));
  await ask(createOverNetworks(groups, withinMs), path);
  expect(timeout.mock.calls).toEqual([[expected], [expected]]);
});

it('the other services have 2 s to say what they offer', async () => {
  const timeout = jest.spyOn(AbortSignal, 'timeout');
  await ask(tellAvailable({ balance: EMPTY, orders: EMPTY, holders: EMPTY } as Upstreams), '/v1/networks');
  expect(timeout.mock.calls).toEqual([[2_000], [2_000]]);
});

describe('the list of networks, with what the other services offer', () => {
  const listOf = (balance: Upstream, headers?: string[]) =>
    ask(tellAvailable({ balance, orders: EMPTY, holders: EMPTY } as Upstreams), '/v1/networks', headers);

  it('is made of an answer that is whole and not compressed: the client’s conditions are left out', async () => {
    const asked: unknown[] = [];
    const balance = serviceOf(({ headers }) => {
      asked.push(headers);
      return { networks: [] };
    });
    await listOf(balance, ['x-request-id', 'r-1', 'accept-encoding', 'gzip', 'if-none-match', '"x"']);
    expect(asked).toEqual([['x-request-id', 'r-1']]);
  });

  it('is made of a list alone: another answer of the balance service is passed on', async () => {
    const answer = await listOf(serviceOf(() => ({ networks: [], code: 'overloaded' }), 503));
    expect(answer).toEqual({ status: 503, body: { networks: [], code: 'overloaded' } });
  });
});

describe('a list over networks', () => {
  const over = (...answers: readonly ((path: string) => object | undefined)[]): Upstream => {
    const groups = answers.map((answer, i) => ({
      upstream: serviceOf(({ path }) => answer(path)),
      networks: [['eth-mainnet', 'base-mainnet'][i]!],
    }));
    return createOverNetworks(groups, 60_000);
  };

  it('has the other fields of the first network', async () => {
    const at = (date: string) => () => ({ date, blocks: [] });
    const { body } = await ask(over(at('one'), at('two')), '/v1/blocks?date=x');
    expect(body.date).toBe('one');
  });

  it('has all that was ever said of a network that cannot be reached', async () => {
    const [eth, finality] = [{ network_name: 'eth-mainnet' }, { rule: 'depth' }];
    let isAway = false;
    const first = (path: string): object | undefined => {
      if (isAway) return undefined;
      return path === '/v1/networks'
        ? { networks: [{ ...eth, finality }] }
        : { blocks: [{ ...eth, chain_id: 1 }] };
    };
    const lists = over(first, () => ({ networks: [], blocks: [] }));
    for (const path of ['/v1/networks', '/v1/blocks?date=x']) await ask(lists, path);
    isAway = true;
    const { body } = await ask(lists, '/v1/networks');
    expect((body.networks as unknown[])[0]).toMatchObject({ ...eth, finality, chain_id: 1 });
  });
});
