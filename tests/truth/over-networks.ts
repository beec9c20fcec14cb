/** Questions over several networks at once, and Ethereum's names on another, compared with what each node answers. */
import { ANY_CHAIN, ETHEREUM, nameCoins } from '@hindsight/chain/test/ens/support/coin-names.ts';
import { Registrar } from '@hindsight/chain/test/ens/support/registrar.ts';
import { ETH_MAINNET, NETWORKS, type Network } from '@hindsight/chain/networks.ts';
import { startEmptyChain } from '@hindsight/devchain/anvil.ts';
import { askAll, blockTag, callQuestion, type Question } from '@hindsight/devchain/client.ts';
import { Dice } from '@hindsight/devchain/dice.ts';
import type { Plan } from '@hindsight/devchain/plan-format.ts';
import { OrderedRpc } from '@hindsight/devchain/rpc.ts';
import { CHAIN, HOLDERS, TOKENS } from '@hindsight/devchain/world.ts';
import { getAddress, Interface, namehash } from 'ethers';
import { isDeepStrictEqual } from 'node:util';
import { readChain, type Chain, type Header } from './inquiries.ts';
import { KINDS } from './kinds.ts';
import { seedAnvil, type SeededNode } from './nodes.ts';
import { startServices, type Service } from './service.ts';
import { runProcessPerNetwork } from '../support/process-per-network.ts';
import { askJson, iso } from './views.ts';

/** Right answers, and the others, for people to read. */
export interface OverNetworksTrial {
  right: number;
  readonly faults: string[];
  /** The routes that have answered, of a service in this process. */
  readonly asked?: ReadonlySet<string>;
}

interface Asked {
  readonly network: Network;
  readonly url: string;
  readonly chain: Chain;
}

const MOMENTS = 60;
const ROWS = 900;
const HOLDER_LIST = Object.values(HOLDERS);
const ERC20 = new Interface(['function balanceOf(address) view returns (uint256)']);
const RESOLVER = new Interface([
  'function resolver(bytes32) view returns (address)',
  'function addr(bytes32, uint256) view returns (bytes)',
]);

/** A service over several networks, or the gateway in front of some. */
type Asking = Pick<Service, 'url' | 'stop'> & Partial<Pick<Service, 'asked'>> & { readonly key?: string };

/** A network with the plan played on its node. */
export interface SeededNetwork {
  readonly network: Network;
  readonly node: SeededNode;
}

/** Starts mainnet's kind of chain, and then all others. */
export function startNetworks(plan: Plan): Promise<readonly SeededNetwork[]> {
  const kinds = [{ network: ETH_MAINNET, start: seedAnvil }, ...KINDS];
  return Promise.all(kinds.map(async ({ network, start }) => ({ network, node: await start(plan) })));
}

/** Asks one process for networks, blocks and rows over all kinds of chain. */
export function tryOverNetworks(plan: Plan, seeded: readonly SeededNetwork[]): Promise<OverNetworksTrial> {
  return tryAll(plan, seeded, (networks) =>
    startServices(networks.map(({ network, url }) => ({ network, urls: [url] }))),
  );
}

/** The same of a gateway with a process for each of two networks. */
export function tryOverProcesses(plan: Plan, seeded: readonly SeededNetwork[]): Promise<OverNetworksTrial> {
  const two = seeded.filter(({ network: { name } }) => ['eth-mainnet', 'bnb-mainnet'].includes(name));
  return tryAll(plan, two, ([ethereum, other]) => {
    return runProcessPerNetwork({
      'eth-mainnet': { ETH_RPC_URL: ethereum!.url },
      'bnb-mainnet': { BNB_RPC_URL: other!.url },
    });
  });
}

async function tryAll(
  plan: Plan,
  seeded: readonly SeededNetwork[],
  open: (networks: readonly Asked[]) => Promise<Asking>,
): Promise<OverNetworksTrial> {
  const networks = await Promise.all(
    seeded.map(async ({ network, node }): Promise<Asked> => {
      const chain = await readChain(node.url, node.heightOf(plan.genesis.number));
      return { network, url: node.url, chain };
    }),
  );
  const service = await open(networks);
  const { asked } = service;
  const trial: OverNetworksTrial = { right: 0, faults: [], ...(asked && { asked }) };
  try {
    await tryList(service, networks, trial);
    await tryMoments(service, networks, trial);
    await tryRows(service, networks, trial);
  } finally {
    await service.stop();
  }
  return trial;
}

async function askService({ url, key }: Asking, path: string, rows?: object): Promise<unknown> {
  return (await askJson(url + path, rows, key)).body;
}

function hold(trial: OverNetworksTrial, what: string, found: unknown, expected: unknown): void {
  if (isDeepStrictEqual(plain(found), plain(expected))) trial.right += 1;
  else trial.faults.push(`${what} → ${JSON.stringify(found)}, not ${JSON.stringify(expected)}`);
}

/** Values of this realm: a fetched one has other prototypes under jest. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

async function tryList(service: Asking, networks: readonly Asked[], trial: OverNetworksTrial): Promise<void> {
  const { networks: listed } = (await askService(service, '/v1/networks')) as {
    networks: Record<string, unknown>[];
  };
  const place = (header: Header): object => ({
    block_number: header.number,
    block_hash: header.hash,
    date: iso(header.timestamp),
  });
  for (const [i, { network, chain }] of networks.entries()) {
    const [head, finalized] = [chain.head, chain.finalized].map((height) => chain.headers.get(height)!);
    const { network_name, chain_id, head: own, finalized: last, first_block } = listed[i] ?? {};
    hold(
      trial,
      `the entry of ${network.name}`,
      [network_name, chain_id, own, last, first_block],
      [
        ...[network.name, network.chainId, place(head!)],
        { ...place(finalized!), age_seconds: head!.timestamp - finalized!.timestamp },
        chain.first,
      ],
    );
  }
}

async function tryMoments(
  service: Asking,
  networks: readonly Asked[],
  trial: OverNetworksTrial,
): Promise<void> {
  const dice = new Dice(7);
  const { genesisTime, storyTime, headTime } = CHAIN;
  // Most chains are shorter than the first, which has its busy hour at its end.
  const spans = [
    [genesisTime, headTime],
    [genesisTime, genesisTime + 600],
    [storyTime, headTime],
  ] as const;
  for (let i = 0; i < MOMENTS; i++) {
    const [first, last] = spans[i % spans.length]!;
    const moment = first - 3 + dice.roll(last - first);
    const path = `/v1/blocks?date=${iso(moment)}`;
    const { blocks } = (await askService(service, path)) as { blocks: Record<string, unknown>[] };
    for (const [at, { network, chain }] of networks.entries()) {
      const { network_name, block_hash, error } = blocks[at] ?? {};
      const found = [network_name, block_hash, (error as { code?: string } | undefined)?.code];
      const block = lastAt(chain, moment);
      hold(trial, `${network.name} in ${path}`, found, [
        ...[network.name, block?.hash],
        block === undefined ? 'no_block_at_date' : undefined,
      ]);
    }
  }
}

/** The last block at or before a moment. */
function lastAt({ headers }: Chain, moment: number): Header | undefined {
  return [...headers.values()].findLast(({ timestamp }) => timestamp <= moment);
}

interface AskedRow {
  readonly url: string;
  readonly height: number;
  readonly row: {
    readonly network: string;
    readonly token_address: string;
    readonly holder: string;
    readonly block_height: number;
  };
}

async function tryRows(service: Asking, networks: readonly Asked[], trial: OverNetworksTrial): Promise<void> {
  const dice = new Dice(11);
  const rows = Array.from({ length: ROWS }, (): AskedRow => {
    const { network, url, chain } = dice.pick(networks);
    const height = chain.first + dice.roll(chain.head - chain.first + 1);
    const [token, holder] = [dice.pick([TOKENS.usdc.address, 'native']), dice.pick(HOLDER_LIST)];
    return {
      url,
      height,
      row: { network: network.name, token_address: token, holder, block_height: height },
    };
  });
  const answers = (await askService(
    service,
    '/v1/balance/batch',
    rows.map(({ row }) => row),
  )) as {
    balance?: string;
    network_name?: string;
    error?: { statusCode: number };
  }[];
  const truths: unknown[] = [];
  for (const [url, places] of Map.groupBy(rows.keys(), (at) => rows[at]!.url)) {
    const found = await askAll(
      url,
      places.map((at) => questionOf(rows[at]!)),
    );
    for (const [i, at] of places.entries()) truths[at] = found[i]!.result ?? '0x';
  }
  for (const [i, { row }] of rows.entries()) {
    const truth = truths[i];
    const { balance, network_name: name, error } = answers[i]!;
    const isThere = truth !== '0x';
    hold(
      trial,
      JSON.stringify(row),
      isThere ? [name, balance] : error?.statusCode,
      isThere ? [row.network, BigInt(truth as string).toString()] : 404,
    );
  }
}

/** The same question to a node, by a plain call. */
function questionOf({ height, row: { token_address: token, holder } }: AskedRow): Question {
  if (token === 'native') return ['eth_getBalance', holder, blockTag(height)];
  return callQuestion(token, ERC20.encodeFunctionData('balanceOf', [holder]), height);
}

const CHANGES = 12;
const BLOCKS = 150;

/** Asks for a name at every block of a network without a registry, while its addresses change on Ethereum. */
export async function tryNamesElsewhere(): Promise<OverNetworksTrial> {
  const base = NETWORKS.get('base-mainnet')!;
  const dice = new Dice(3);
  const [ethereum, other] = await Promise.all([seedAnvil(), startEmptyChain({ chainId: base.chainId })]);
  const registrar = new Registrar(ethereum.url);
  const rpc = new OrderedRpc(other.url);
  const trial: OverNetworksTrial = { right: 0, faults: [] };
  try {
    const coins = [ANY_CHAIN + base.chainId, ANY_CHAIN, ETHEREUM, ANY_CHAIN + 10];
    for (let i = 0; i < CHANGES; i++) {
      const some = coins.filter(() => dice.roll(2) === 0).map((coin) => [coin, dice.pick(HOLDER_LIST)]);
      await nameCoins(
        registrar,
        'multi.eth',
        Object.fromEntries(some) as Record<number, string>,
        dice.roll(2) === 0,
      );
    }
    const names = await readChain(ethereum.url, CHAIN.story);
    const end = names.headers.get(names.head)!.timestamp;
    let time: number = CHAIN.headTime;
    for (let i = 0; i < BLOCKS; i++) {
      time += 1 + dice.roll(Math.max(1, Math.floor((2 * (end - time)) / (BLOCKS - i))));
      await rpc.call('evm_mine', { timestamp: time });
    }
    const chain = await readChain(other.url, CHAIN.story);
    const service = await startServices([
      { network: base, urls: [other.url] },
      { network: ETH_MAINNET, urls: [ethereum.url] },
    ]);
    for (const { number, timestamp } of chain.headers.values()) {
      const at = lastAt(names, timestamp)!;
      const path = `/v1/base-mainnet/balance/native?holder=multi.eth&block_height=${number}`;
      const {
        holder,
        names_resolved_at: when,
        code,
      } = (await askService(service, path)) as Record<string, unknown>;
      const address = await addressAt(ethereum.url, at, coins.slice(0, 2));
      hold(
        trial,
        path,
        address === null ? code : [holder, (when as { block_hash: string } | undefined)?.block_hash],
        address === null ? 'unknown_name' : [address, at.hash],
      );
    }
    await service.stop();
  } finally {
    await Promise.all([registrar.close(), rpc.close()]);
    await Promise.all([ethereum.stop(), other.stop()]);
  }
  return trial;
}

/** The first address that the name has of these coin types, by plain calls at a block. */
async function addressAt(url: string, { hash }: Header, coins: readonly number[]): Promise<string | null> {
  const node = namehash('multi.eth');
  const pin = { blockHash: hash };
  const registry = ETH_MAINNET.ensRegistries![0].address;
  const call = (to: string, data: string) => ['eth_call', { to, data }, pin] as const;
  const [named] = await askAll(url, [[...call(registry, RESOLVER.encodeFunctionData('resolver', [node]))]]);
  // Before the registry was there, nothing was named.
  if (named?.result === '0x') return null;
  const resolver = getAddress(`0x${String(named?.result).slice(-40)}`);
  const answers = await askAll(
    url,
    coins.map((coin) => [...call(resolver, RESOLVER.encodeFunctionData('addr', [node, coin]))]),
  );
  for (const { result } of answers) {
    if (result === undefined || result === '0x') continue;
    const [bytes] = RESOLVER.decodeFunctionResult('addr', result as string) as unknown as [string];
    if (bytes !== '0x') return getAddress(bytes);
  }
  return null;
}
