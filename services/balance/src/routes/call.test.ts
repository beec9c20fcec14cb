import { describe, expect, it } from '@jest/globals';
import { forMachines } from '@hindsight/kernel/test/support/for-machines.ts';
import { buildPlan } from '@hindsight/devchain/plan.ts';
import { CHAIN, CONTRACTS, HOLDERS, LANDMARKS, TOKENS, UNUSED_ADDRESS } from '@hindsight/devchain/world.ts';
import { dnsEncode, namehash } from 'ethers';
import { forAllTests } from '@hindsight/kernel/test/support/world-of-tests.ts';
import { runBehindProxy } from '../../test/support/on-devchain.ts';
import type { RunningBalance } from '../../test/support/run-balance.ts';

const balance = forAllTests(runBehindProxy, 'stop');
const { ledger } = buildPlan();
const { alice, treasury } = HOLDERS;
const USDC = TOKENS.usdc.address;
const AT = 18_000_140;

const ask = (body: unknown): ReturnType<RunningBalance['ask']> => balance.ask('/v1/eth-mainnet/call', body);

/** The only row's result. */
async function resultOf(
  target: string,
  signature: string,
  args: unknown[] = [],
  block = AT,
): Promise<unknown> {
  const { status, body } = await ask({ target, function: signature, args: [args], block_height: block });
  expect([status, body.message]).toEqual([200, undefined]);
  return (body.results as unknown[])[0];
}

describe('POST call', () => {
  it('returns the decoded values, with every field', async () => {
    const { status, headers, body } = await ask({
      target: USDC.toLowerCase(),
      function: 'balanceOf(address account) returns (uint)',
      args: [[alice], [treasury]],
      block_height: 18_000_000,
    });
    expect(body).toEqual({
      network_name: 'eth-mainnet',
      chain_id: 1,
      target: USDC,
      function: 'balanceOf(address account) returns (uint256)',
      checked_at_block: 18_000_000,
      checked_at_date: '2023-08-26T16:21:35.000Z',
      block_hash: '0x929f639b1953e57ca85e1bbab9edcd8d551e416eb6820304b73885223e619df0',
      finalized: true,
      results: [
        { values: [ledger.balanceAt(USDC, alice, 18_000_000).toString()] },
        { values: [ledger.balanceAt(USDC, treasury, 18_000_000).toString()] },
      ],
    });
    expect([status, headers.get('x-hindsight-units'), headers.get('cache-control')]).toEqual([
      200,
      '1',
      'no-store',
    ]);
  });

  it('answers a thousand rows at one block in a few requests, in their order', async () => {
    const holders = Object.values(HOLDERS);
    const args = Array.from({ length: 1_000 }, (_, i) => [holders[i % holders.length]]);
    const before = balance.proxy.requests;
    const { headers, body } = await ask({
      target: TOKENS.uni.address,
      function: 'function balanceOf(address) external view returns (uint256)',
      args,
      block_height: AT,
    });
    expect(body.results).toEqual(
      args.map(([holder]) => ({ values: [ledger.balanceAt(TOKENS.uni.address, holder!, AT).toString()] })),
    );
    expect(headers.get('x-hindsight-units')).toBe('10');
    expect(balance.proxy.requests - before).toBeLessThanOrEqual(8);
  });

  it('resolves the target’s name at the block, and takes dates and the latest block', async () => {
    const code = { function: 'decimals() returns (uint8)', args: [[]] };
    const dated = await ask({ target: USDC, ...code, date: '2023-08-26T16:21:40Z' });
    expect(dated.body).toMatchObject({ checked_at_block: 18_000_000, results: [{ values: ['6'] }] });
    const latest = await ask({ target: USDC, ...code });
    expect(latest.body).toMatchObject({ checked_at_block: CHAIN.head, finalized: false });
    const named = await ask({ target: 'alice.eth', ...code });
    expect(named.body.message).toBe(`There is no contract at ${alice} at block ${CHAIN.head}`);
  });

  it('decodes texts, truth values, signed numbers and tuples', async () => {
    expect(await resultOf(TOKENS.uni.address, 'name() returns (string)')).toEqual({ values: ['Uniswap'] });
    expect(await resultOf(USDC, 'name() returns (string)', [], LANDMARKS.usdcUpgrade - 1)).toEqual({
      values: ['Centre USD Coin'],
    });
    expect(await resultOf(TOKENS.mkr.address, 'symbol() returns (bytes32)')).toEqual({
      values: [`0x4d4b52${'0'.repeat(58)}`],
    });
    const supports = 'supportsInterface(bytes4) returns (bool)';
    expect(await resultOf(TOKENS.bayc.address, supports, ['0x80ac58cd'])).toEqual({ values: [true] });
    const resolver =
      'requireResolver(bytes name) view returns (tuple(bytes name, uint256 offset, bytes32 node, address resolver, bool extended) info)';
    expect(await resultOf(CONTRACTS.universalResolver, resolver, [dnsEncode('alice.eth')])).toEqual({
      values: [[dnsEncode('alice.eth'), '0', namehash('alice.eth'), CONTRACTS.ensResolver, false]],
    });
    const items = 'balanceOfBatch(address[], uint256[]) returns (uint256[])';
    const ids = ['0', '0x1', 2];
    expect(await resultOf(TOKENS.items.address, items, [[alice, alice, alice], ids])).toEqual({
      values: [[0n, 1n, 2n].map((id) => ledger.itemAt(TOKENS.items.address, alice, id, AT).toString())],
    });
  });

  it('says why a row reverts', async () => {
    expect(await resultOf(TOKENS.nameless.address, 'name() returns (string)')).toEqual({
      reverted: { reason: 'no name', data: expect.stringMatching(/^0x08c379a0/) },
    });
    const transfer = await resultOf(TOKENS.uni.address, 'transfer(address,uint256) returns (bool)', [
      alice,
      1,
    ]);
    // ERC20InsufficientBalance
    expect(transfer).toEqual({ reverted: { reason: null, data: expect.stringMatching(/^0xe450d38c/) } });
    expect(await resultOf(TOKENS.weth.address, 'withdraw(uint256)', ['1'])).toEqual({
      reverted: {
        reason: 'Panic(0x11): an arithmetic operation overflowed',
        data: expect.stringMatching(/^0x4e487b71/),
      },
    });
    const dice = await resultOf(TOKENS.bayc.address, 'ownerOf(uint256) returns (address)', ['424242']);
    expect(dice).toMatchObject({ reverted: { reason: null } });
  });

  it.each([
    ['uses up its gas', CONTRACTS.gasBurner, 'anything() returns (uint256)', /used up its gas of 20,000,000/],
    [
      'answers with a mebibyte',
      CONTRACTS.huge,
      'name() returns (string)',
      /answers with [\d,]+ bytes; at most 16,383/,
    ],
    [
      'answers too little',
      CONTRACTS.short,
      'anything() returns (uint256)',
      /of 4 bytes does not have the declared types/,
    ],
    ['has other types', TOKENS.uni.address, 'totalSupply() returns (bool)', /the word at byte 0 is no bool/],
  ])('gives an error for a row whose call %s', async (_what, target, signature, message) => {
    expect(await resultOf(target, signature)).toEqual({
      error: {
        message: expect.stringMatching(message),
        error: 'Unprocessable Entity',
        statusCode: 422,
        code: expect.stringMatching(/^call_/),
      },
    });
  });

  it('lets no row harm another one', async () => {
    const { body } = await ask({
      target: TOKENS.bayc.address,
      function: 'ownerOf(uint256) returns (address)',
      args: [['100'], ['424242'], ['100']],
      block_height: AT,
    });
    const [first, second, third] = body.results as { values?: string[] }[];
    expect(first).toEqual(third);
    expect(first?.values).toHaveLength(1);
    expect(second).toHaveProperty('reverted');
  });

  it('has the answer as it is where the signature declares no types', async () => {
    const decimals = async (declared: string): Promise<unknown> =>
      (await ask({ target: USDC, function: `decimals()${declared}`, args: [[]], block_height: AT })).body
        .results;
    expect(await decimals('')).toEqual([{ values: [], data: `0x${'06'.padStart(64, '0')}` }]);
    expect(await decimals(' returns (uint8)')).toEqual([{ values: ['6'] }]);
  });

  it('bounds what burners cost: the first sixteen rows get more gas, the others are refused', async () => {
    const args = Array.from({ length: 40 }, () => []);
    const { status, body } = await ask({
      target: CONTRACTS.gasBurner,
      function: 'anything()',
      args,
      block_height: AT,
    });
    const messages = (body.results as { error: { message: string } }[]).map(({ error }) => error.message);
    expect(status).toBe(200);
    expect(messages.filter((message) => message.includes('20,000,000'))).toHaveLength(16);
    expect(
      messages.filter((message) => message.includes('1,000,000; among fewer rows it gets more')),
    ).toHaveLength(24);
  });
});

describe('bad input is a 400 that names the field, the row and the argument', () => {
  const good = { target: USDC, function: 'f(address a, uint8 b) returns (bool)', args: [[alice, 1]] };
  const nested = `f(${'tuple('.repeat(20)}uint256${')'.repeat(20)})`;

  it.each<[what: string, change: object, message: RegExp]>([
    ['a missing target', { target: undefined }, /^target is required$/],
    ['a malformed target', { target: '0x12' }, /^target: /],
    ['a missing function', { function: undefined }, /^function is required$/],
    ['a function that is no text', { function: 7 }, /^function: expected a signature/],
    ['a function that cannot be read', { function: 'balanceOf address' }, /^function: it cannot be read/],
    ['an empty function', { function: '' }, /^function: it cannot be read/],
    ['an event', { function: 'event Transfer(address)' }, /^function: it cannot be read/],
    ['an unknown type', { function: 'f(uint7)' }, /^function: .*(cannot be read|not supported)/],
    ['a type of the future', { function: 'f(fixed128x18)' }, /^function: .*(cannot be read|not supported)/],
    [
      'a long signature',
      { function: `f(${'uint256,'.repeat(200)}uint256)` },
      /^function: it has .* at most 1024$/,
    ],
    ['a deep signature', { function: nested }, /^function: its types are nested more than 8 deep/],
    ['many values', { function: `f(${'bool,'.repeat(64)}bool)` }, /^function: it has more than 64/],
    ['a huge array', { function: 'f() returns (uint256[1000000000])' }, /^function: .*more than 511 words/],
    [
      'huge arrays of texts',
      { function: 'f() returns (string[999][999])' },
      /^function: .*more than 511 words/,
    ],
    ['an array of nothing', { function: 'f(uint256[0])' }, /^function: an array of length 0/],
    ['no args', { args: undefined }, /^args is required$/],
    ['args without a row', { args: [] }, /^args: expected at least one list/],
    ['too many rows', { args: Array(1_001).fill([alice, 1]) }, /^args: expected at most 1000 lists/],
    ['a row that is no list', { args: [[alice, 1], alice] }, /^args.1: expected a list of arguments/],
    [
      'too few arguments',
      { args: [[alice, 1], [alice]] },
      /^args\[1\]: expected 2 arguments \(address,uint8\), not 1$/,
    ],
    ['too many arguments', { args: [[alice, 1, 2]] }, /^args\[0\]: expected 2 arguments .*, not 3$/],
    [
      'an overflow',
      {
        args: [
          [alice, 1],
          [alice, '256'],
        ],
      },
      /^args\[1\]\[1\]: 256 is no uint8; expected 0 to 255$/,
    ],
    ['a negative number', { args: [[alice, -1]] }, /^args\[0\]\[1\]: -1 is no uint8/],
    ['a fraction', { args: [[alice, 1.5]] }, /^args\[0\]\[1\]: expected a uint8 as a string/],
    ['a number beyond 2^53', { args: [[alice, 2 ** 60]] }, /^args\[0\]\[1\]: expected a uint8/],
    ['a wrong address', { args: [['0x12', 1]] }, /^args\[0\]\[0\]: expected an address/],
    ['a wrong checksum', { args: [[alice.replace('Ef', 'eF'), 1]] }, /^args\[0\]\[0\]: its checksum/],
    ['a name', { args: [['alice.eth', 1]] }, /^args\[0\]\[0\]: .*; names are not resolved here$/],
    ['null', { args: [[null, 1]] }, /^args\[0\]\[0\]: expected an address/],
    [
      'a wrong list',
      { function: 'f(uint8[2])', args: [[[1]]] },
      /^args\[0\]\[0\]: expected a list of 2, not 1$/,
    ],
    ['no list', { function: 'f(uint8[])', args: [['1']] }, /^args\[0\]\[0\]: expected a list$/],
    [
      'a wrong element',
      { function: 'f(int8[])', args: [[[1, -129]]] },
      /^args\[0\]\[0\]\[1\]: -129 is no int8/,
    ],
    [
      'a wrong component',
      { function: 'f((uint8 x, bool y) p)', args: [[{ x: 1, y: 2 }]] },
      /^args\[0\]\[0\]\.y: expected true/,
    ],
    [
      'an unknown component',
      { function: 'f((uint8 x) p)', args: [[{ x: 1, z: 2 }]] },
      /unknown component z; expected x$/,
    ],
    [
      'a missing component',
      { function: 'f((uint8 x, bool y) p)', args: [[{ x: 1 }]] },
      /^args\[0\]\[0\]\.y: it is missing/,
    ],
    ['odd bytes', { function: 'f(bytes)', args: [['0x123']] }, /^args\[0\]\[0\]: expected whole bytes/],
    ['wrong bytes4', { function: 'f(bytes4)', args: [['0x123456']] }, /^args\[0\]\[0\]: expected 4 bytes/],
    ['half a character', { function: 'f(string)', args: [['\ud800']] }, /^args\[0\]\[0\]: expected a string/],
    [
      'long bytes',
      { function: 'f(bytes)', args: [[`0x${'00'.repeat(5_000)}`]] },
      /^args\[0\]: .*more than 4096 bytes/,
    ],
    ['a negative height', { block_height: -1 }, /^block_height: /],
    ['a height and a date', { block_height: 1, date: '2023-01-01' }, /given together/],
    ['an unknown field', { blockHeight: 1 }, /unknown parameter blockHeight; did you mean block_height/],
  ])('%s', async (_what, change, message) => {
    const { status, body } = await ask({ ...good, ...change });
    expect(body).toEqual({
      message: expect.stringMatching(message),
      error: 'Bad Request',
      statusCode: 400,
      ...forMachines(),
    });
    expect(status).toBe(400);
  });

  it('a body that is no JSON, of another type, or larger than 1 MiB', async () => {
    const send = async (body: string, type: string): Promise<number> => {
      const request = { method: 'POST', headers: { 'content-type': type }, body };
      return (await fetch(`${balance.url}/v1/eth-mainnet/call`, request)).status;
    };
    expect(await send('{', 'application/json')).toBe(400);
    expect(await send('[]', 'application/json')).toBe(400);
    expect(await send('{}', 'application/xml')).toBe(415);
    expect(await send(JSON.stringify({ target: 'a'.repeat(1_100_000) }), 'application/json')).toBe(413);
  });

  it('a contract that is not there is a 404', async () => {
    const { status, body } = await ask({ ...good, target: UNUSED_ADDRESS });
    expect([status, body.message]).toEqual([
      404,
      `There is no contract at ${UNUSED_ADDRESS} at block ${CHAIN.head}`,
    ]);
  });
});
