/** Readings of a token's worth: a vault of the dev chain, and feeds, pools and rates on a chain of their own. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startEmptyChain } from '@hindsight/devchain/anvil.ts';
import { loadArtifact } from '@hindsight/devchain/artifacts.ts';
import { ask } from '@hindsight/devchain/client.ts';
import { mine, sendAndMine } from '@hindsight/devchain/control.ts';
import { HOLDERS, LANDMARKS, TOKENS } from '@hindsight/devchain/world.ts';
import { forAllTests } from '@hindsight/kernel/test/support/world-of-tests.ts';
import { AbiCoder, getCreate2Address, keccak256 } from 'ethers';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runOnDevchain } from '../../test/support/on-devchain.ts';
import { runBalance, type RunningBalance } from '../../test/support/run-balance.ts';
import { FEEDS_FILE, type Feed } from '../feeds.ts';

const SENDER = `0x${'5e'.repeat(20)}`;
/** Neither has code: only the table knows them. */
const TOKEN = `0x${'70'.repeat(20)}`;
const NOWHERE = `0x${'90'.repeat(20)}`;
const BEGUN = 1_693_065_035;
const WBTC = '0x2260FAC5E5542a773Aa44fBCfeDf7C193bc2C599';
/** Both as Uniswap publishes them (v3-core's deployment, v3-periphery's PoolAddress). */
const UNISWAP_FACTORY = '0x1F98431c8aD98523631AE4a59f267346ea31F984';
const POOL_INIT_CODE_HASH = '0xe34f199b19b2b4f47f68442619d555527d244f78a3297ea89325f843f87b8b54';

const chain = forAllTests(() => startEmptyChain(), 'stop');
const devchain = forAllTests(runOnDevchain, 'stop');
let balance: RunningBalance;
let feed: string;
let pool: string;
const folder = mkdtempSync(join(tmpdir(), 'hindsight-feeds-'));

async function deploy(contract: string): Promise<string> {
  const { bytecode } = loadArtifact(contract);
  return (await sendAndMine(chain.url, { from: SENDER, data: bytecode })).contractAddress;
}

/** Mines a block of that time. @returns its height */
async function mineAt(seconds: number): Promise<number> {
  await mine(chain.url, { timestamp: seconds });
  return Number(await ask(chain.url, 'eth_blockNumber'));
}

/** Sets the feed's round in the next block. */
async function setRound(answer: bigint, updatedAt: number): Promise<void> {
  const data = loadArtifact('PriceFeed').interface.encodeFunctionData('set', [answer, updatedAt]);
  await ask(chain.url, 'eth_sendTransaction', {
    from: SENDER,
    to: feed,
    data,
    gas: '0x2dc6c0',
    gasPrice: '0x0',
  });
}

/** The table as a file has it, read as the setting reads it. */
function tableOf(rows: readonly object[]): readonly Feed[] {
  const path = join(folder, 'feeds.json');
  writeFileSync(path, JSON.stringify(rows));
  return FEEDS_FILE.schema.parse(path);
}

const row = (more: object): object => ({
  network: 'eth-mainnet',
  tokens: [TOKEN],
  name: 'a row',
  source: 'https://example.org',
  ...more,
});

let silentBlock: number;
let freshBlock: number;
let staleBlock: number;

beforeAll(async () => {
  feed = await deploy('PriceFeed');
  pool = await deploy('PricePool');
  const { timestamp } = (await ask(chain.url, 'eth_getBlockByNumber', 'latest', false)) as {
    timestamp: string;
  };
  const now = Math.max(Number(timestamp), BEGUN) + 100;
  silentBlock = await mineAt(now);
  await setRound(-12_345_678n, now);
  freshBlock = await mineAt(now + 1_000);
  staleBlock = await mineAt(now + 1_001);
  const feeds = tableOf([
    row({ kind: 'chainlink', contract: feed, quote: 'USD', heartbeat_seconds: 1_000 }),
    row({ kind: 'uniswap-v3-twap', contract: pool, window_seconds: 1_000 }),
    row({ kind: 'uniswap-v3-twap', contract: pool, window_seconds: 600_000 }),
    row({
      kind: 'rate',
      contract: feed,
      function: 'decimals() returns (uint256)',
      decimals: 2,
      quote: 'ETH',
    }),
    row({
      kind: 'rate',
      contract: NOWHERE,
      function: 'rate() returns (uint256)',
      decimals: 18,
      quote: 'ETH',
    }),
    row({ kind: 'rate', contract: pool, function: 'rate() returns (uint256)', decimals: 18, quote: 'ETH' }),
    row({ kind: 'chainlink', network: 'sepolia', contract: feed, quote: 'USD', heartbeat_seconds: 1 }),
  ]);
  balance = await runBalance(chain.url, { feeds });
});
afterAll(async () => {
  await balance.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function readsAt(block: number): Promise<Record<string, unknown>[]> {
  const { status, body } = await balance.ask(
    `/v1/eth-mainnet/value/reads?token_address=${TOKEN}&block_height=${block}`,
  );
  expect([status, body.message]).toEqual([200, undefined]);
  return body.reads as Record<string, unknown>[];
}

describe('GET value/reads', () => {
  it('finds a vault by asking it, and says what a share was in its asset', async () => {
    const at = LANDMARKS.savingsEarn;
    const { savings, uni } = TOKENS;
    const { body } = await devchain.ask(
      `/v1/eth-mainnet/value/reads?token_address=${savings.address}&block_height=${at}`,
    );
    const share = await devchain.ask('/v1/eth-mainnet/call', {
      target: savings.address,
      function: 'convertToAssets(uint256) returns (uint256)',
      args: [[String(10n ** 18n)]],
      block_height: at,
    });
    expect(body).toMatchObject({
      checked_at_block: at,
      reads: [
        {
          kind: 'erc4626',
          contract: savings.address,
          call: 'convertToAssets(1000000000000000000)',
          answer: (share.body.results as { values: string[] }[])[0]!.values[0],
          decimals: 18,
          quote: uni.address,
          reason: null,
        },
      ],
    });
  });

  it.each([TOKENS.usdc.address, HOLDERS.alice, 'native'])(
    'has no reading of %s without a table',
    async (token) => {
      const { status, body } = await devchain.ask(
        `/v1/eth-mainnet/value/reads?token_address=${token}&block_height=18000000`,
      );
      expect([status, body.reads]).toEqual([200, []]);
    },
  );

  it('reads the rows of the network’s table, raw', async () => {
    const [round, window, , rate] = await readsAt(freshBlock);
    expect(round).toMatchObject({
      kind: 'chainlink',
      answer: '-12345678',
      decimals: 8,
      round_id: '1',
      age_seconds: 1_000,
      reason: null,
    });
    expect(window).toMatchObject({ answer: '-201', liquidity: '5', window_seconds: 1_000, reason: null });
    expect(rate).toMatchObject({ answer: '8', decimals: 2, quote: 'ETH', call: 'decimals()', reason: null });
    expect(await readsAt(freshBlock)).toHaveLength(6);
  });

  it('names the reason where there is no reading, or an old one', async () => {
    const reasons = async (block: number): Promise<unknown> =>
      (await readsAt(block)).map(({ reason }) => reason);
    const others = ['no_observations', null, 'no_contract', 'reverted'];
    expect(await reasons(silentBlock)).toEqual(['reverted', 'no_observations', ...others]);
    expect(await reasons(freshBlock)).toEqual([null, null, ...others]);
    expect(await reasons(staleBlock)).toEqual(['stale', null, ...others]);
    const [stale] = await readsAt(staleBlock);
    expect(stale).toMatchObject({ answer: '-12345678', age_seconds: 1_001 });
  });

  it('is not kept for good: the table may change', async () => {
    const { headers } = await balance.ask(
      `/v1/eth-mainnet/value/reads?token_address=${TOKEN}&block_height=${freshBlock}`,
    );
    expect(headers.get('cache-control')).not.toContain('immutable');
  });
});

describe('FEEDS_FILE', () => {
  it('has main feeds of Ethereum where none is set, each with its source', () => {
    const feeds = FEEDS_FILE.schema.parse(undefined);
    expect(new Set(feeds.map(({ kind }) => kind))).toEqual(new Set(['chainlink', 'uniswap-v3-twap', 'rate']));
    expect(
      feeds.every(({ network, source }) => network === 'eth-mainnet' && source.startsWith('https://')),
    ).toBe(true);
  });

  it('says of each main feed what its address was compared with', () => {
    const feeds = FEEDS_FILE.schema.parse(undefined);
    expect(feeds.filter(({ checked }) => checked === undefined).map(({ name }) => name)).toEqual([]);
  });

  it.each([
    ['USDC / WETH 0.05 %, 30 minutes', TOKENS.usdc.address, TOKENS.weth.address, 500],
    ['WBTC / WETH 0.3 %, 30 minutes', WBTC, TOKENS.weth.address, 3_000],
    ['UNI / WETH 0.3 %, 30 minutes', TOKENS.uni.address, TOKENS.weth.address, 3_000],
  ])('has the pool that Uniswap’s factory makes for %s', (name, token0, token1, fee) => {
    const types = ['address', 'address', 'uint24'];
    const salt = keccak256(AbiCoder.defaultAbiCoder().encode(types, [token0, token1, fee]));
    const pool = FEEDS_FILE.schema.parse(undefined).find((one) => one.name === name);
    expect(pool?.contract).toBe(getCreate2Address(UNISWAP_FACTORY, salt, POOL_INIT_CODE_HASH));
  });

  it.each<[string, readonly object[], RegExp]>([
    [
      'a wrong checksum',
      [row({ kind: 'rate', contract: '0xAe7ab96520DE3A18E5e111B5EaAb095312D7fE84' })],
      /entry 1, contract: its checksum/,
    ],
    ['another kind', [row({ kind: 'oracle', contract: NOWHERE })], /entry 1, kind/],
    [
      'a malformed signature',
      [row({ kind: 'rate', contract: NOWHERE, function: '(', decimals: 1, quote: '' })],
      /function/,
    ],
    [
      'arguments that the function does not take',
      [
        row({
          kind: 'rate',
          contract: NOWHERE,
          function: 'rate(uint256) returns (uint256)',
          decimals: 1,
          quote: '',
        }),
      ],
      /entry 1: args: expected 1 argument \(uint256\), not 0/,
    ],
    [
      'too many rows of a token',
      Array(17).fill(row({ kind: 'uniswap-v3-twap', contract: NOWHERE, window_seconds: 1 })),
      /more than 16 entries/,
    ],
  ])('names the fault of %s', (_what, rows, fault) => {
    expect(() => tableOf(rows)).toThrow(fault);
  });
});
