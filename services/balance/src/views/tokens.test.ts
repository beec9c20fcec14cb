/** The single views other than balances and allowances: supply, NFTs, vaults. */
import { describe, expect, it } from '@jest/globals';
import { callAt } from '@hindsight/devchain/client.ts';
import { buildPlan } from '@hindsight/devchain/plan.ts';
import { CHAIN, CONTRACTS, HOLDERS, LANDMARKS, TOKENS, UNUSED_ADDRESS } from '@hindsight/devchain/world.ts';
import { Interface, ZeroAddress } from 'ethers';
import { forAllTests } from '@hindsight/kernel/test/support/world-of-tests.ts';
import { runOnDevchain } from '../../test/support/on-devchain.ts';
import type { RunningBalance } from '../../test/support/run-balance.ts';

const balance = forAllTests(runOnDevchain, 'stop');
const { ledger } = buildPlan();
const { alice, bob } = HOLDERS;
const { uni, bayc, kitties, items, savings, usdc, weth } = TOKENS;

type Query = Record<string, string | number>;
const ask = (endpoint: string, query: Query): ReturnType<RunningBalance['ask']> => {
  const text = new URLSearchParams(query as Record<string, string>).toString();
  return balance.ask(`/v1/eth-mainnet/${endpoint}?${text}`);
};

/** A contract's answer to a plain eth_call of a client that shares no code with the product. */
const contracts = new Interface([
  'function totalSupply() view returns (uint256)',
  'function ownerOf(uint256) view returns (address)',
  'function balanceOf(address, uint256) view returns (uint256)',
  'function balanceOf(address) view returns (uint256)',
  'function convertToAssets(uint256) view returns (uint256)',
]);
async function raw(to: string, method: string, args: unknown[], block: number): Promise<unknown> {
  const data = await callAt(balance.devchain.url, to, contracts.encodeFunctionData(method, args), block);
  return contracts.decodeFunctionResult(method, data)[0];
}

const HEIGHTS = [17_999_870, 17_999_950, 18_000_000, 18_000_049, 18_000_145, CHAIN.head];
const pinned = {
  checked_at_block: 18_000_000,
  checked_at_date: '2023-08-26T16:21:35.000Z',
  block_hash: '0x929f639b1953e57ca85e1bbab9edcd8d551e416eb6820304b73885223e619df0',
  finalized: true,
};
const network = { network_name: 'eth-mainnet', chain_id: 1 };

describe('GET supply', () => {
  it('returns the total supply, with every field', async () => {
    const { status, headers, body } = await ask('supply', {
      token_address: uni.address,
      block_height: 18_000_000,
    });
    expect(status).toBe(200);
    expect(headers.get('cache-control')).toContain('immutable');
    expect(body).toEqual({
      ...network,
      token_address: uni.address,
      token_name: 'Uniswap',
      token_symbol: 'UNI',
      token_type: 'erc20',
      token_decimals: 18,
      ...pinned,
      total_supply: String(await raw(uni.address, 'totalSupply()', [], 18_000_000)),
    });
  });

  it.each(['uni', 'usdt', 'usdc', 'weth', 'mkr', 'steth', 'nameless'] as const)(
    'is what the contract reports: %s',
    async (name) => {
      const { address } = TOKENS[name];
      for (const height of HEIGHTS) {
        const { body } = await ask('supply', { token_address: address, block_height: height });
        expect([height, body.total_supply]).toEqual([
          height,
          String(await raw(address, 'totalSupply()', [], height)),
        ]);
      }
    },
  );

  it.each([
    ['no contract', { token_address: UNUSED_ADDRESS }, 404, /^There is no contract at/],
    ['no token', { token_address: CONTRACTS.counter }, 404, /is not a token/],
    [
      'apes, which do not count themselves',
      { token_address: bayc.address },
      404,
      /does not report a total supply at block/,
    ],
    [
      'an ERC-1155',
      { token_address: items.address },
      400,
      /^token_address: .* ERC-1155 contract; it has a supply for each/,
    ],
    ['no token address', {}, 400, /^token_address is required$/],
    ['a holder', { token_address: uni.address, holder: alice }, 400, /^unknown parameter holder/],
    [
      'two blocks',
      { token_address: uni.address, block_height: 1, date: '2020-01-01' },
      400,
      /given together/,
    ],
  ])('is refused for %s', async (_what, query, status, message) => {
    const { body } = await ask('supply', query);
    expect(body).toMatchObject({ statusCode: status, message: expect.stringMatching(message) });
  });
});

describe('GET nft/owner', () => {
  it('returns the owner, with every field', async () => {
    const { status, body } = await ask('nft/owner', {
      token_address: bayc.address.toLowerCase(),
      token_id: '100',
      block_height: 18_000_000,
    });
    expect(status).toBe(200);
    expect(body).toEqual({
      ...network,
      token_id: '100',
      token_address: bayc.address,
      token_name: 'BoredApeYachtClub',
      token_symbol: 'BAYC',
      token_type: 'erc721',
      token_decimals: null,
      ...pinned,
      owner: await raw(bayc.address, 'ownerOf(uint256)', ['100'], 18_000_000),
    });
  });

  it.each([
    [bayc.address, [100, 102, 8_000, 8_004]],
    [kitties.address, [2, 4]],
  ])('is what the contract says, as it changes: %s', async (token, ids) => {
    const owners = new Set<unknown>();
    for (const id of ids) {
      for (const height of HEIGHTS) {
        const { body } = await ask('nft/owner', { token_address: token, token_id: id, block_height: height });
        expect([id, height, body.owner]).toEqual([
          id,
          height,
          await raw(token, 'ownerOf(uint256)', [id], height),
        ]);
        owners.add(body.owner);
      }
    }
    expect(owners.size).toBeGreaterThan(2);
  });

  it.each([
    [
      'no such token',
      { token_address: bayc.address, token_id: '424242' },
      404,
      /^There is no token 424242 of .*: it has no owner$/,
    ],
    [
      'a token that came later',
      { token_address: bayc.address, token_id: '100', block_height: 17_999_855 },
      404,
      /^There is no token 100/,
    ],
    ['no contract', { token_address: UNUSED_ADDRESS, token_id: '1' }, 404, /^There is no contract/],
    [
      'an ERC-20',
      { token_address: uni.address, token_id: '1' },
      400,
      /is an ERC-20 contract; only ERC-721 tokens have one owner/,
    ],
    ['an ERC-1155', { token_address: items.address, token_id: '1' }, 400, /ERC-1155 contract; only ERC-721/],
    ['no id', { token_address: bayc.address }, 400, /^token_id is required$/],
    [
      'an empty id',
      { token_address: bayc.address, token_id: '' },
      400,
      /^token_id: it is empty; expected a token id/,
    ],
    ['a negative id', { token_address: bayc.address, token_id: '-1' }, 400, /^token_id: expected a token id/],
    [
      'a hexadecimal id',
      { token_address: bayc.address, token_id: '0x1' },
      400,
      /^token_id: expected a token id/,
    ],
    [
      'an id of more than 256 bits',
      { token_address: bayc.address, token_id: String(2n ** 256n) },
      400,
      /^token_id: it is larger/,
    ],
    ['a long id', { token_address: bayc.address, token_id: '1'.repeat(100) }, 400, /^token_id: it is larger/],
  ])('is refused for %s', async (_what, query, status, message) => {
    const { body } = await ask('nft/owner', query);
    expect(body).toMatchObject({ statusCode: status, message: expect.stringMatching(message) });
  });
});

describe('GET nft/balance', () => {
  it('returns the balance of one id, with every field', async () => {
    const { body } = await ask('nft/balance', {
      token_address: items.address,
      holder: 'alice.eth',
      token_id: '0',
      block_height: 18_000_000,
    });
    expect(body).toEqual({
      ...network,
      holder: alice,
      token_id: '0',
      token_address: items.address,
      token_name: 'Dev Chain Items',
      token_symbol: 'ITEM',
      token_type: 'erc1155',
      token_decimals: null,
      ...pinned,
      balance: ledger.itemAt(items.address, alice, 0n, 18_000_000).toString(),
    });
  });

  it('matches the ledger for every holder and id', async () => {
    for (const holder of Object.values(HOLDERS)) {
      for (const id of [0n, 1n, 2n, 2n ** 256n - 1n]) {
        const query = {
          token_address: items.address,
          holder,
          token_id: String(id),
          block_height: 18_000_145,
        };
        const { body } = await ask('nft/balance', query);
        const booked = ledger.itemAt(items.address, holder, id, 18_000_145).toString();
        expect([holder, id, body.balance]).toEqual([holder, id, booked]);
      }
    }
  });

  it.each([
    [
      'the zero address',
      { token_address: items.address, holder: ZeroAddress, token_id: '1' },
      200,
      undefined,
    ],
    [
      'an ERC-721',
      { token_address: bayc.address, holder: alice, token_id: '1' },
      400,
      /is an ERC-721 contract; only ERC-1155/,
    ],
    [
      'an ERC-20',
      { token_address: uni.address, holder: alice, token_id: '1' },
      400,
      /is an ERC-20 contract; only ERC-1155/,
    ],
    ['no holder', { token_address: items.address, token_id: '1' }, 400, /^holder is required$/],
    ['no id', { token_address: items.address, holder: alice }, 400, /^token_id is required$/],
    [
      'a fraction',
      { token_address: items.address, holder: alice, token_id: '1.5' },
      400,
      /^token_id: expected a token id/,
    ],
    [
      'no contract',
      { token_address: UNUSED_ADDRESS, holder: alice, token_id: '1' },
      404,
      /^There is no contract/,
    ],
  ])('answers as it should for %s', async (_what, query, status, message) => {
    const answer = await ask('nft/balance', query);
    expect(answer.status).toBe(status);
    if (message) expect(answer.body.message).toMatch(message);
  });
});

describe('GET vault/assets', () => {
  it('returns the shares and their worth, with every field', async () => {
    const { status, body } = await ask('vault/assets', {
      token_address: savings.address,
      holder: 'alice.eth',
      block_height: LANDMARKS.savingsEarn,
    });
    expect(status).toBe(200);
    const shares = ledger.balanceAt(savings.address, alice, LANDMARKS.savingsEarn);
    expect(body).toEqual({
      ...network,
      holder: alice,
      token_address: savings.address,
      token_name: 'Savings UNI',
      token_symbol: 'sUNI',
      token_type: 'erc20',
      token_decimals: 18,
      checked_at_block: LANDMARKS.savingsEarn,
      checked_at_date: expect.any(String),
      block_hash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
      finalized: false,
      shares: shares.toString(),
      assets: String(await raw(savings.address, 'convertToAssets(uint256)', [shares], LANDMARKS.savingsEarn)),
      asset_address: uni.address,
      asset_name: 'Uniswap',
      asset_symbol: 'UNI',
      asset_decimals: 18,
    });
    expect(BigInt(body.assets as string)).toBeGreaterThan(shares);
  });

  it('is worth more once the vault has earned', async () => {
    const worth = async (holder: string, height: number): Promise<unknown> =>
      (await ask('vault/assets', { token_address: savings.address, holder, block_height: height })).body
        .assets;
    expect(await worth(alice, LANDMARKS.savingsOpen)).toBe(String(1_000n * 10n ** 18n));
    expect(await worth(alice, LANDMARKS.savingsEarn)).toBe(String(1_050n * 10n ** 18n));
    expect(await worth(bob, LANDMARKS.savingsEarn - 1)).toBe('0');
    expect(await worth(bob, LANDMARKS.savingsEarn)).toBe('9999999999999999999');
  });

  it.each([
    [
      'a token that is no vault',
      { token_address: uni.address, holder: alice },
      404,
      /is not an ERC-4626 vault at block .*: it names no asset$/,
    ],
    [
      'a vault that is not there yet',
      { token_address: savings.address, holder: alice, block_height: 18_000_000 },
      404,
      /^There is no contract/,
    ],
    [
      'a proxy without implementation',
      { token_address: usdc.address, holder: alice, block_height: usdc.since - 1 },
      404,
      /is not a token/,
    ],
    ['wrapped ether', { token_address: weth.address, holder: alice }, 404, /is not an ERC-4626 vault/],
    [
      'an ERC-721',
      { token_address: bayc.address, holder: alice },
      400,
      /ERC-721 contract; vaults are ERC-20/,
    ],
    ['no holder', { token_address: savings.address }, 400, /^holder is required$/],
    ['a malformed vault', { token_address: '0x1', holder: alice }, 400, /^token_address: /],
  ])('is refused for %s', async (_what, query, status, message) => {
    const { body } = await ask('vault/assets', query);
    expect(body).toMatchObject({ statusCode: status, message: expect.stringMatching(message) });
  });
});
