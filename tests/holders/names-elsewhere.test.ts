/** Transfers by a name on a network without a registry: Ethereum's name, at the time of the last block that is asked for. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { ETH_MAINNET, NETWORKS } from '@hindsight/chain/networks.ts';
import { ANY_CHAIN, nameCoins } from '@hindsight/chain/test/ens/support/coin-names.ts';
import { Registrar } from '@hindsight/chain/test/ens/support/registrar.ts';
import { startEmptyChain, type Anvil } from '@hindsight/devchain/anvil.ts';
import { startDevchain, type Devchain } from '@hindsight/devchain/devchain.ts';
import { OrderedRpc } from '@hindsight/devchain/rpc.ts';
import { CHAIN, HOLDERS } from '@hindsight/devchain/world.ts';
import type { HttpServer } from '@hindsight/http/types.ts';
import { forAllTests } from '@hindsight/kernel/test/support/world-of-tests.ts';
import { runNetworks, type RunningBalance } from '../../services/balance/test/support/run-balance.ts';
import { HolderWorld } from './support/holder-world.ts';

const BASE = NETWORKS.get('base-mainnet')!;
const { alice, bob } = HOLDERS;
const BLOCKS = 100;

/** An address of the name on Base, set in a block of Ethereum; Base has a block of the same time. */
interface Naming {
  readonly holder: string;
  readonly block: number;
  readonly block_hash: string;
  readonly time: number;
}

const world = forAllTests(HolderWorld.onDevchain, 'close');
let ethereum: Devchain;
let base: Anvil;
let balance: RunningBalance;
let app: HttpServer;
let namings: readonly Naming[];

beforeAll(async () => {
  [ethereum, base] = await Promise.all([startDevchain(), startEmptyChain({ chainId: BASE.chainId })]);
  const [one, other] = [new OrderedRpc(ethereum.url), new OrderedRpc(base.url)];
  const registrar = new Registrar(ethereum.url);
  const nameIt = async (holder: string): Promise<Naming> => {
    await nameCoins(registrar, 'moved.eth', { [ANY_CHAIN + BASE.chainId]: holder });
    const head = (await one.call('eth_getBlockByNumber', 'latest', false)) as Record<string, string>;
    return { holder, block: Number(head.number), block_hash: head.hash!, time: Number(head.timestamp) };
  };
  namings = [await nameIt(bob), await nameIt(alice)];
  await one.call('anvil_mine', '0x64', '0xc');
  for (const { time } of namings) await other.call('evm_mine', { timestamp: time });
  // The index then holds both as final.
  for (let i = 1; i <= BLOCKS; i++) await other.call('evm_mine', { timestamp: namings[1]!.time + i });
  await Promise.all([one.close(), other.close(), registrar.close()]);
  balance = await runNetworks([
    { network: BASE, urls: [base.url] },
    { network: ETH_MAINNET, urls: [ethereum.url] },
  ]);
  app = await world.start({ network: BASE, nodeUrl: base.url, balanceUrl: balance.url, from: CHAIN.story });
});
afterAll(async () => {
  await balance.stop();
  await Promise.all([base.stop(), ethereum.stop()]);
});

async function ask(holder: string, to: number, accept: string): Promise<string> {
  const query = new URLSearchParams({ holder, to: String(to) }).toString();
  const url = `/v1/base-mainnet/transfers?${query}`;
  return (await app.inject({ method: 'GET', url, headers: { accept } })).payload;
}

it.each([0, 1])('says at which block of Ethereum the name was resolved (%d)', async (i) => {
  const { holder, block, block_hash, time } = namings[i]!;
  const to = CHAIN.story + 1 + i;
  const date = new Date(time * 1_000).toISOString();
  const expected = {
    holder,
    to_block: to,
    names_resolved_at: { network_name: 'eth-mainnet', block, block_hash, date },
  };
  expect(JSON.parse(await ask('moved.eth', to, 'application/json'))).toMatchObject(expected);
  const [facts] = (await ask('moved.eth', to, 'text/csv')).split('\n');
  expect(JSON.parse(facts!.slice(2))).toMatchObject(expected);
});

it('has no names_resolved_at where an address was given', async () => {
  const answer = JSON.parse(await ask(alice, CHAIN.story + 2, 'application/json')) as object;
  expect(answer).toMatchObject({ holder: alice });
  expect(answer).not.toHaveProperty('names_resolved_at');
});
