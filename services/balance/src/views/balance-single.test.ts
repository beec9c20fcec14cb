import { describe, expect, it } from '@jest/globals';
import { forMachines } from '@hindsight/kernel/test/support/for-machines.ts';
import { buildPlan } from '@hindsight/devchain/plan.ts';
import { CHAIN, CONTRACTS, HOLDERS, LANDMARKS, TOKENS, UNUSED_ADDRESS } from '@hindsight/devchain/world.ts';
import { forAllTests } from '@hindsight/kernel/test/support/world-of-tests.ts';
import { runBehindProxy } from '../../test/support/on-devchain.ts';
import type { RunningBalance } from '../../test/support/run-balance.ts';

const balance = forAllTests(runBehindProxy, 'stop');
const { ledger } = buildPlan();

const USDC = TOKENS.usdc.address;
const { alice, treasury } = HOLDERS;
const path = (query: Record<string, string | number>): string =>
  `/v1/eth-mainnet/balance/single?${new URLSearchParams(query as Record<string, string>).toString()}`;
const ask = (query: Record<string, string | number>): ReturnType<RunningBalance['ask']> =>
  balance.ask(path(query));

describe('GET balance/single', () => {
  it('is answered at the latest block when no height is given', async () => {
    const { status, headers, body } = await ask({ token_address: USDC, holder: alice });
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(body).toEqual({
      network_name: 'eth-mainnet',
      chain_id: 1,
      holder: alice,
      token_address: USDC,
      token_name: 'USD Coin',
      token_symbol: 'USDC',
      token_type: 'erc20',
      token_decimals: 6,
      checked_at_block: CHAIN.head,
      checked_at_date: new Date(CHAIN.headTime * 1000).toISOString(),
      block_hash: CHAIN.headHash,
      finalized: false,
      balance: ledger.balanceAt(USDC, alice, CHAIN.head).toString(),
    });
  });

  it('returns the balance at a height, and the token’s name at that time', async () => {
    const before = await ask({
      token_address: USDC,
      holder: treasury,
      block_height: LANDMARKS.usdcUpgrade - 1,
    });
    expect(before.body).toMatchObject({
      token_name: 'Centre USD Coin',
      checked_at_block: LANDMARKS.usdcUpgrade - 1,
    });
    const paid = await ask({ token_address: USDC, holder: treasury, block_height: 17_999_999 });
    expect(paid.body).toMatchObject({ balance: '1250000000000', finalized: true });
    const after = await ask({ token_address: USDC, holder: treasury, block_height: 18_000_000 });
    expect(after.body).toMatchObject({ balance: '0', checked_at_date: '2023-08-26T16:21:35.000Z' });
  });

  it.each([
    ['lower case', USDC.toLowerCase()],
    ['upper case', `0x${USDC.slice(2).toUpperCase()}`],
    ['the right checksum', USDC],
  ])('accepts an address in %s and returns EIP-55', async (_what, token) => {
    const { status, body } = await ask({
      token_address: token,
      holder: alice.toLowerCase(),
      block_height: 18_000_000,
    });
    expect([status, body.token_address, body.holder]).toEqual([200, USDC, alice]);
  });

  it.each([
    ['without return values', TOKENS.usdt, { token_type: 'erc20', token_decimals: 6, token_symbol: 'USDT' }],
    ['with bytes32 metadata', TOKENS.mkr, { token_type: 'erc20', token_name: 'Maker', token_symbol: 'MKR' }],
    ['that rebases', TOKENS.steth, { token_type: 'erc20', token_symbol: 'stETH' }],
    [
      'whose name() reverts',
      TOKENS.nameless,
      { token_type: 'erc20', token_name: '', token_symbol: 'NONAME' },
    ],
    [
      'with markup in its name',
      TOKENS.script,
      { token_name: TOKENS.script.name, token_symbol: TOKENS.script.symbol },
    ],
    ['that is an ERC-721', TOKENS.bayc, { token_type: 'erc721', token_decimals: null, token_symbol: 'BAYC' }],
    ['older than ERC-165', TOKENS.kitties, { token_type: 'erc721', token_symbol: 'CK' }],
  ])('recognises a token %s', async (_what, token, fields) => {
    const { status, body } = await ask({ token_address: token.address, holder: alice });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      ...fields,
      balance: ledger.balanceAt(token.address, alice, CHAIN.head).toString(),
    });
  });

  it('returns "0" for a wallet that never held the token', async () => {
    expect((await ask({ token_address: USDC, holder: UNUSED_ADDRESS })).body).toMatchObject({ balance: '0' });
  });

  it.each([
    [
      'an account without code',
      { token_address: alice },
      404,
      /^There is no contract at 0x.* at block 18000150$/,
    ],
    [
      'a contract that did not exist yet',
      { token_address: TOKENS.late.address, block_height: 18_000_000 },
      404,
      /no contract/,
    ],
    ['a contract that is not a token', { token_address: CONTRACTS.counter }, 404, /is not a token at block/],
    ['a contract that answers too little', { token_address: CONTRACTS.short }, 404, /is not a token/],
    ['a contract that burns all gas', { token_address: CONTRACTS.gasBurner }, 404, /uses too much gas/],
    ['an ERC-1155', { token_address: TOKENS.items.address }, 400, /^token_address: .* ERC-1155/],
    [
      'a height above the head',
      { token_address: USDC, block_height: 18_000_151 },
      404,
      /^block_height: .*18000151.*latest block is 18000150/,
    ],
    [
      'a height for which the node has no state',
      { token_address: USDC, block_height: 17_000_000 },
      502,
      /Ethereum node/,
    ],
  ])('is refused for %s', async (_what, query, status, message) => {
    const { body, ...answer } = await ask({ holder: alice, ...query });
    expect(body).toMatchObject({ statusCode: status, message: expect.stringMatching(message) });
    expect(answer.status).toBe(status);
  });

  it('is refused for an unknown network', async () => {
    const { body } = await balance.ask(path({}).replace('eth-mainnet', 'eth-sepolia'));
    expect(body).toEqual({
      message: 'Unknown network eth-sepolia; supported: eth-mainnet',
      error: 'Not Found',
      statusCode: 404,
      ...forMachines('unknown_network'),
    });
  });
});

describe('bad input is a 400 that names the field', () => {
  const good = { token_address: USDC, holder: alice };
  const wrongChecksum = USDC.replace('A0b8', 'a0B8');

  it.each<[what: string, parameters: Record<string, string | undefined>, message: RegExp]>([
    ['a missing token', { token_address: undefined }, /^token_address is required$/],
    ['a missing holder', { holder: undefined }, /^holder is required$/],
    ['an empty address', { token_address: '' }, /^token_address: it is empty/],
    ['a short address', { token_address: USDC.slice(0, -1) }, /^token_address: .*40 .*not 39/],
    ['a long address', { holder: `${alice}0` }, /^holder: .*40 .*not 41/],
    ['an address not in hexadecimal', { holder: `${alice.slice(0, -1)}g` }, /^holder: .*not hexadecimal/],
    ['an address without 0x', { token_address: USDC.slice(2) }, /^token_address: .*begins with 0x/],
    [
      'a wrong checksum',
      { token_address: wrongChecksum },
      /^token_address: its checksum \(EIP-55\) is wrong/,
    ],
    ['a huge address', { token_address: `0x${'a'.repeat(5000)}` }, /^token_address: /],
    ['an empty height', { block_height: '' }, /^block_height: it is empty/],
    ['a negative height', { block_height: '-1' }, /^block_height: expected a block height/],
    ['a fractional height', { block_height: '1.5' }, /^block_height: expected a block height/],
    ['a hexadecimal height', { block_height: '0x10' }, /^block_height: expected a block height/],
    ['a height in words', { block_height: 'latest' }, /^block_height: expected a block height/],
    ['a height in exponents', { block_height: '1e3' }, /^block_height: expected a block height/],
    ['a height with a space', { block_height: ' 1' }, /^block_height: expected a block height/],
    ['a huge height', { block_height: '99999999999999999999' }, /^block_height: it is larger/],
    [
      'an unknown parameter',
      { blockHeight: '1' },
      /unknown parameter blockHeight; did you mean block_height\?/,
    ],
    [
      'an unknown parameter like none',
      { colour: 'red' },
      /unknown parameter colour; known: token_address, holder/,
    ],
  ])('%s', async (_what, parameters, message) => {
    const query = Object.entries({ ...good, ...parameters }).filter(([, value]) => value !== undefined);
    const begun = performance.now();
    const { status, body } = await ask(Object.fromEntries(query));
    expect(body).toEqual({
      message: expect.stringMatching(message),
      error: 'Bad Request',
      statusCode: 400,
      ...forMachines(),
    });
    expect(status).toBe(400);
    expect(performance.now() - begun).toBeLessThan(60_000);
  });

  it.each(['token_address', 'holder', 'block_height'])('a repeated %s', async (name) => {
    const query = new URLSearchParams({ ...good, block_height: '18000000' });
    const { status, body } = await balance.ask(`${path({})}${query.toString()}&${name}=1`);
    expect([status, body.message]).toEqual([400, `${name}: given more than once; expected once`]);
  });

  it('a URL of 100 KB', async () => {
    const { status, body } = await balance.ask(
      `/v1/eth-mainnet/balance/single?holder=${'a'.repeat(100_000)}`,
    );
    expect([status, body.message]).toEqual([400, 'url: it is longer than 8 KiB']);
  });
});

describe('what an uncached balance costs at the node', () => {
  const cost = async (query: Record<string, string | number>): Promise<number> => {
    const before = balance.proxy.requests;
    expect((await ask(query)).status).toBe(200);
    return balance.proxy.requests - before;
  };

  it('is one HTTP request for a block that was never seen', async () => {
    expect(await cost({ token_address: USDC, holder: alice, block_height: 17_999_900 })).toBe(1);
  });

  it('is one HTTP request for a known block', async () => {
    expect(await cost({ token_address: USDC, holder: UNUSED_ADDRESS, block_height: 17_999_900 })).toBe(1);
    expect(
      await cost({ token_address: TOKENS.uni.address, holder: UNUSED_ADDRESS, block_height: 17_999_900 }),
    ).toBe(1);
  });

  it('is one HTTP request at the latest block', async () => {
    await new Promise((resolve) => setTimeout(resolve, 600));
    expect(await cost({ token_address: USDC, holder: alice })).toBe(1);
  });
});
