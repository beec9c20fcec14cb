/** Names on a network without a registry, in every parameter that takes one: Ethereum's, at the time of the block. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ETH_MAINNET, NETWORKS } from '@hindsight/chain/networks.ts';
import { ANY_CHAIN, ETHEREUM, nameCoins } from '@hindsight/chain/test/ens/support/coin-names.ts';
import { Registrar } from '@hindsight/chain/test/ens/support/registrar.ts';
import { startEmptyChain, type Anvil } from '@hindsight/devchain/anvil.ts';
import { startDevchain, type Devchain } from '@hindsight/devchain/devchain.ts';
import { OrderedRpc } from '@hindsight/devchain/rpc.ts';
import { CHAIN, HOLDERS } from '@hindsight/devchain/world.ts';
import { runNetworks, type RunningBalance } from './support/run-balance.ts';

const BASE = NETWORKS.get('base-mainnet')!;
const { alice, bob, carol } = HOLDERS;
const ON_BASE = ANY_CHAIN + BASE.chainId;
/** Blocks of Base, two seconds each, before and after the name points to alice. */
const BEFORE = 20;
const AFTER = 100;
const FIRST = CHAIN.story;
const SINCE = FIRST + BEFORE + 1;
const WEI = 77n;

let ethereum: Devchain;
let base: Anvil;
let balance: RunningBalance;
let alone: RunningBalance;
/** Ethereum's block that first has the name. */
let named: {
  readonly network_name: string;
  readonly block: number;
  readonly block_hash: string;
  readonly date: string;
};

async function headOf(rpc: OrderedRpc): Promise<{ number: number; hash: string; time: number }> {
  const block = (await rpc.call('eth_getBlockByNumber', 'latest', false)) as Record<string, string>;
  return { number: Number(block.number), hash: block.hash!, time: Number(block.timestamp) };
}

beforeAll(async () => {
  [ethereum, base] = await Promise.all([startDevchain(), startEmptyChain({ chainId: BASE.chainId })]);
  const [one, other] = [new OrderedRpc(ethereum.url), new OrderedRpc(base.url)];
  const registrar = new Registrar(ethereum.url);
  await nameCoins(registrar, 'moved.eth', { [ON_BASE]: bob });
  const early = await headOf(one);
  await nameCoins(registrar, 'moved.eth', { [ON_BASE]: alice });
  await nameCoins(registrar, 'multi.eth', { [ON_BASE]: alice, [ETHEREUM]: carol });
  const since = await headOf(one);
  const date = new Date(since.time * 1_000).toISOString();
  named = { network_name: 'eth-mainnet', block: since.number, block_hash: since.hash, date };
  // Final on Ethereum, and so is the block after it.
  await one.call('anvil_mine', '0x64', '0xc');
  await other.call('anvil_setBalance', alice, `0x${WEI.toString(16)}`);
  for (let i = 0; i < BEFORE; i++)
    await other.call('evm_mine', { timestamp: early.time - 1 + (i === 0 ? 0 : i) });
  for (let i = 0; i < AFTER; i++) await other.call('evm_mine', { timestamp: since.time + 2 * i });
  await Promise.all([one.close(), other.close(), registrar.close()]);
  const networks = [
    { network: BASE, urls: [base.url] },
    { network: ETH_MAINNET, urls: [ethereum.url] },
  ];
  [balance, alone] = await Promise.all([runNetworks(networks), runNetworks(networks.slice(0, 1))]);
});
afterAll(async () => {
  await Promise.all([balance.stop(), alone.stop()]);
  await Promise.all([base.stop(), ethereum.stop()]);
});

const at = `block_height=${SINCE}`;
const range = `from=${SINCE}&to=${SINCE + 4}`;
const native = 'token_address=native&holder=multi.eth';

/** Each way to name a holder, and the record that has the answer. */
const WAYS: readonly (readonly [what: string, path: string, body: unknown, answered: object])[] = [
  ['a balance', `balance/native?holder=multi.eth&${at}`, undefined, { holder: alice, balance: String(WEI) }],
  [
    'a portfolio',
    `portfolio?holder=multi.eth&${at}`,
    undefined,
    { holder: alice, native_balance: String(WEI) },
  ],
  ['a list of allowances', `allowance/list?owner=multi.eth&${at}`, undefined, { owner: alice }],
  ['a code', `code?address=multi.eth&${at}`, undefined, { address: alice, code_size: 0 }],
  ['a series', `balance/series?${native}&${range}&step=2`, undefined, { holder: alice }],
  ['changes', `balance/changes?${native}&${range}`, undefined, { holder: alice }],
  ['a statement', `balance/statement?${native}&${range}&step=2`, undefined, { holder: alice }],
  [
    'books',
    'balance/reconcile',
    { token_address: 'native', holder: 'multi.eth', rows: [{ block_height: SINCE, balance: '77' }] },
    { holder: alice },
  ],
  [
    'a row of a batch',
    'balance/batch',
    [{ token_address: 'native', holder: 'multi.eth', block_height: SINCE }],
    { holder: alice, balance: String(WEI) },
  ],
];

describe('a name on a network without a registry', () => {
  it.each(WAYS)(
    'in %s means its address there, and the answer names Ethereum’s block',
    async (_, path, sent, answered) => {
      const { status, body } = await balance.ask(`/v1/base-mainnet/${path}`, sent);
      expect([status, body.message]).toEqual([200, undefined]);
      expect([body].flat()[0]).toMatchObject({
        ...answered,
        names_resolved_at: { ...named, finalized: true },
      });
    },
  );

  it('in a snapshot is named at its end', async () => {
    const response = await fetch(
      `${balance.url}/v1/base-mainnet/balance/snapshot?token_address=native&${at}`,
      {
        method: 'POST',
        headers: { 'content-type': 'text/plain' },
        body: `multi.eth\n${bob}\n`,
      },
    );
    const records = (await response.text())
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as object);
    expect(records.slice(1)).toEqual([
      { record: 'balance', line: 1, holder: alice, balance: String(WEI) },
      { record: 'balance', line: 2, holder: bob, balance: '0' },
      expect.objectContaining({ record: 'end', names_resolved_at: { ...named, finalized: true } }),
    ]);
  });

  it('means the address of each network in a batch over networks', async () => {
    const row = { token_address: 'native', holder: 'multi.eth' };
    const { body } = await balance.ask('/v1/balance/batch', [
      { ...row, network: 'base-mainnet', block_height: SINCE },
      { ...row, network: 'eth-mainnet', block_height: named.block },
      { ...row, network: 'base-mainnet', block_height: SINCE, holder: alice },
    ]);
    const [there, here, given] = body as unknown as Record<string, unknown>[];
    expect(there).toMatchObject({ holder: alice, names_resolved_at: named });
    expect(here).toMatchObject({ holder: carol });
    for (const other of [here, given]) expect(other).not.toHaveProperty('names_resolved_at');
  });

  it('has no address where only Ethereum’s is set', async () => {
    const { status, body } = await balance.ask(`/v1/base-mainnet/balance/native?holder=alice.eth&${at}`);
    expect([status, body.code, body.message]).toEqual([
      404,
      'unknown_name',
      `holder: the name alice.eth has no address at block ${SINCE}: at block ${named.block} of eth-mainnet it has neither one for this network nor a default one`,
    ]);
  });

  it('that moved within a range is refused', async () => {
    const { status, body } = await balance.ask(
      `/v1/base-mainnet/balance/series?token_address=native&holder=moved.eth&from=${FIRST + 1}&to=${SINCE}&step=1`,
    );
    expect([status, body.code]).toEqual([409, 'name_moved']);
    for (const one of [alice, bob]) expect(body.message).toContain(one);
  });

  it('is immutable once both blocks are final', async () => {
    const lasting = async (height: number): Promise<boolean> => {
      const path = `/v1/base-mainnet/balance/native?holder=multi.eth&block_height=${height}`;
      const { headers } = await balance.ask(path);
      return headers.get('cache-control')!.includes('immutable');
    };
    expect([await lasting(SINCE), await lasting(FIRST + BEFORE + AFTER)]).toEqual([true, false]);
  });
});

describe('without a node of Ethereum', () => {
  it('a name is refused with the reason', async () => {
    const { status, body } = await alone.ask(`/v1/base-mainnet/balance/native?holder=multi.eth&${at}`);
    expect([status, body.code, body.message]).toEqual([
      422,
      'no_names',
      'holder: base-mainnet has no names here: they live on Ethereum, and this server has no Ethereum node; expected an address',
    ]);
  });

  it('GET /v1/networks says so', async () => {
    const available = async (service: RunningBalance) =>
      ((await service.ask('/v1/networks')).body.networks as { available: { names: boolean } }[]).map(
        (network) => network.available.names,
      );
    expect([await available(balance), await available(alone)]).toEqual([[true, true], [false]]);
  });
});
