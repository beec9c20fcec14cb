/** Questions over several networks: an unavailable one harms no other. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ETH_MAINNET, type Network } from '@hindsight/chain/networks.ts';
import { FIRST, FIRST_TIME, startFakeNode, type FakeNode } from './support/fake-node.ts';
import { runNetworks, type RunningBalance } from './support/run-balance.ts';

const TOKEN = '0x00000000000000000000000000000000000000AA';
const HOLDER = '0x00000000000000000000000000000000000000BB';
const { ensRegistries: _, ...WITHOUT_NAMES } = ETH_MAINNET;

const HERE: Network = { ...ETH_MAINNET, name: 'first-net', chainId: 1001 };
const THERE: Network = {
  ...WITHOUT_NAMES,
  name: 'second-net',
  chainId: 1002,
  native: { symbol: 'TWO', decimals: 6 },
  finality: { tag: 'finalized', greatestAge: 50 },
};
/** Its node never answers. */
const UNAVAILABLE: Network = { ...ETH_MAINNET, name: 'away-net', chainId: 1003, finality: { depth: 20 } };

let nodes: FakeNode[];
let service: RunningBalance;

beforeAll(async () => {
  nodes = await Promise.all(
    [HERE, THERE].map(({ chainId }, i) =>
      startFakeNode({
        chainId,
        wei: 10n + BigInt(i),
        balance: 20n + BigInt(i),
        allowance: 0n,
        named: HOLDER,
      }),
    ),
  );
  service = await runNetworks([
    { network: HERE, urls: [nodes[0]!.url] },
    { network: THERE, urls: [nodes[1]!.url] },
    { network: UNAVAILABLE, urls: ['http://127.0.0.1:1'] },
  ]);
});
afterAll(async () => {
  await service.stop();
  await Promise.all(nodes.map((node) => node.stop()));
});

const AT = FIRST + 20;
const NO_NODE = expect.objectContaining({ code: 'node_unavailable', statusCode: 503 });

describe('GET /v1/networks', () => {
  it('names each network, where it is, and what can be asked', async () => {
    const { status, body } = await service.ask('/v1/networks');
    expect(status).toBe(200);
    const place = (block: number) => ({
      block_number: block,
      block_hash: `0x${block.toString(16).padStart(64, '0')}`,
      date: new Date((FIRST_TIME + block - FIRST) * 1_000).toISOString(),
    });
    const [here, there] = body.networks as Record<string, unknown>[];
    expect(here).toEqual({
      network_name: 'first-net',
      chain_id: 1001,
      native_coin: { symbol: 'ETH', decimals: 18 },
      finality: { rule: 'finalized', greatest_age: 256 },
      head: place(FIRST + 100),
      finalized: { ...place(FIRST + 90), age_seconds: 10 },
      first_block: FIRST,
      available: { log_search: true, names: true, proofs_from: null },
    });
    expect(there).toMatchObject({
      network_name: 'second-net',
      native_coin: { symbol: 'TWO', decimals: 6 },
      finality: { rule: 'finalized', greatest_age: 50 },
      available: { names: true },
    });
  });

  it('reports an unavailable one in its own entry', async () => {
    const { body } = await service.ask('/v1/networks');
    const networks = body.networks as Record<string, unknown>[];
    expect(networks.map((one) => 'error' in one)).toEqual([false, false, true]);
    expect(networks[2]).toEqual({
      network_name: 'away-net',
      chain_id: 1003,
      native_coin: { symbol: 'ETH', decimals: 18 },
      finality: { rule: 'depth', depth: 20 },
      error: NO_NODE,
    });
  });

  it('takes no parameter', async () => {
    const { status, body } = await service.ask('/v1/networks?network=first-net');
    expect([status, body.message]).toEqual([400, 'unknown parameter network; expected none']);
  });
});

describe('GET /v1/blocks', () => {
  it('is one date over all networks', async () => {
    const date = new Date((FIRST_TIME + 20) * 1_000).toISOString();
    const { status, body } = await service.ask(`/v1/blocks?date=${date}`);
    expect([status, body.date]).toEqual([200, date]);
    const block = { block_number: AT, date, finalized: true };
    expect(body.blocks).toEqual([
      expect.objectContaining({ network_name: 'first-net', chain_id: 1001, ...block }),
      expect.objectContaining({ network_name: 'second-net', chain_id: 1002, ...block }),
      { network_name: 'away-net', chain_id: 1003, error: NO_NODE },
    ]);
  });

  it('has an error where a network had no block yet', async () => {
    const { body } = await service.ask('/v1/blocks?date=2015-01-01');
    const blocks = body.blocks as { error: { code: string } }[];
    expect(blocks.map(({ error }) => error.code)).toEqual([
      'no_block_at_date',
      'no_block_at_date',
      'node_unavailable',
    ]);
  });

  it.each([
    ['', 'date is required', 'missing_parameter'],
    ['?date=yesterday', expect.stringContaining('date: expected ISO 8601'), 'invalid_parameter'],
    ['?date=2020-01-01&date=2021-01-01', 'date: given more than once; expected once', 'repeated_parameter'],
    ['?date=2020-01-01&block_height=1', expect.stringContaining('block_height'), 'unknown_parameter'],
  ])('refuses %s', async (query, message, code) => {
    const { status, body } = await service.ask(`/v1/blocks${query}`);
    expect([status, body]).toEqual([400, expect.objectContaining({ message, code })]);
  });
});

describe('POST /v1/balance/batch', () => {
  const row = { token_address: TOKEN, holder: HOLDER, block_height: AT };

  it('answers each row from its own network, in their order', async () => {
    const rows = ['second-net', 'first-net', 'second-net'].map((network) => ({ ...row, network }));
    const { status, headers, body } = await service.ask('/v1/balance/batch', [
      ...rows,
      { ...row, network: 'second-net', token_address: 'native' },
    ]);
    expect([status, headers.get('x-hindsight-units')]).toEqual([200, '1']);
    expect(body).toMatchObject([
      { network_name: 'second-net', chain_id: 1002, balance: '21' },
      { network_name: 'first-net', chain_id: 1001, balance: '20' },
      { network_name: 'second-net', chain_id: 1002, balance: '21' },
      { network_name: 'second-net', balance: '11' },
    ]);
  });

  it('has an unavailable, unknown or missing network as an error of its rows alone', async () => {
    const { status, body } = await service.ask('/v1/balance/batch', [
      { ...row, network: 'away-net' },
      { ...row, network: 'first-net' },
      { ...row, network: 'no-net' },
      { ...row, network: 'base-mainnet' },
      row,
      { ...row, network: 'second-net', holder: 'alice.eth' },
      { ...row, network: 'second-net', date: '2020-01-01' },
      { ...row, network: '__proto__' },
      'second-net',
    ]);
    expect(status).toBe(200);
    const served = 'first-net, second-net, away-net';
    const error = (code: string, message: unknown) => ({ error: expect.objectContaining({ code, message }) });
    expect(body).toEqual([
      error('node_unavailable', expect.stringContaining('No Ethereum node')),
      expect.objectContaining({ network_name: 'first-net', balance: '20' }),
      error('unknown_network', `Unknown network no-net; supported: ${served}`),
      error('unknown_network', `The network base-mainnet is not served here; served: ${served}`),
      error('missing_parameter', 'network is required'),
      error('unknown_name', expect.stringContaining('neither one for this network nor a default one')),
      error('conflicting_parameters', expect.stringContaining('given together with')),
      error('unknown_network', `Unknown network __proto__; supported: ${served}`),
      error('invalid_parameter', 'row: expected an object with network, token_address and holder'),
    ]);
  });

  it.each([[[]], [{ network: 'first-net' }], ['x']])('refuses %j for a body', async (sent) => {
    const { status, body } = await service.ask('/v1/balance/batch', sent);
    expect([status, body.message]).toEqual([400, 'body: expected a JSON array of 1 to 1000 rows']);
  });
});
