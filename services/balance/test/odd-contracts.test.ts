/** Unusual contracts, on a chain where they can be deployed. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ask as askNode } from '@hindsight/devchain/client.ts';
import { mine } from '@hindsight/devchain/control.ts';
import { startDevchain, type Devchain } from '@hindsight/devchain/devchain.ts';
import { buildPlan } from '@hindsight/devchain/plan.ts';
import { CHAIN, CONTRACTS, HOLDERS, LANDMARKS, TOKENS } from '@hindsight/devchain/world.ts';
import { getAddress } from 'ethers';
import { runBalance, type RunningBalance } from './support/run-balance.ts';
import { askSnapshot } from './support/snapshots.ts';

const { ledger } = buildPlan();
const { alice } = HOLDERS;
const PUNKS = '0xb47e3cd837dDF8e4c57F05d70Ab865de6e193BBB';
const EXPENSIVE = `0x${'ee'.repeat(20)}`;
const WRITER = `0x${'dd'.repeat(20)}`;
const COSTLY = `0x${'cc'.repeat(20)}`;
const BOUNDLESS = `0x${'cb'.repeat(20)}`;
const SHY = `0x${'bb'.repeat(20)}`;
const PARTLY_SHY = `0x${'ba'.repeat(20)}`;
const ASSERTING = `0x${'b0'.repeat(20)}`;
const WORDY = `0x${'ab'.repeat(20)}`;
const LATE = `0x${'aa'.repeat(20)}`;
const BURNER = `0x${'b1'.repeat(20)}`;
const REVERTER = `0x${'c1'.repeat(20)}`;
const HELD = 7n;
const RETURN_SEVEN = '600760005260206000f3';
const NAME = '06fdde03';
const SYMBOL = '95d89b41';

/** Counts down before it answers with 7: 26 gas a step. */
const counting = (steps: number): string =>
  `0x62${steps.toString(16).padStart(6, '0')}5b6001900380600457${RETURN_SEVEN}`;

/** Answers some selectors with given bytes, and everything else with 7. */
function answering(answers: Readonly<Record<string, Buffer>>): string {
  const u16 = (value: number): string => value.toString(16).padStart(4, '0');
  const entries = Object.entries(answers);
  const branchesAt = 5 + 11 * entries.length + RETURN_SEVEN.length / 2;
  let dataAt = branchesAt + 14 * entries.length;
  let [dispatch, branches, data] = ['5f3560e01c', '', ''];
  for (const [i, [selector, bytes]] of entries.entries()) {
    dispatch += `8063${selector}1461${u16(branchesAt + 14 * i)}57`;
    branches += `5b61${u16(bytes.length)}61${u16(dataAt)}5f3961${u16(bytes.length)}5ff3`;
    data += bytes.toString('hex');
    dataAt += bytes.length;
  }
  return `0x${dispatch}${RETURN_SEVEN}${branches}${data}`;
}

/** A string as the ABI encodes it. @param offset where its length is; 32 is canonical */
function abiString(text: string, offset = 32): Buffer {
  const bytes = Buffer.from(text);
  const encoded = Buffer.alloc(offset + 32 + Math.ceil(bytes.length / 32) * 32);
  encoded.writeUInt32BE(offset, 28);
  encoded.writeUInt32BE(bytes.length, offset + 28);
  bytes.copy(encoded, offset + 32);
  return encoded;
}

const LONG_NAME = 'long name '.repeat(40);
/** The euro sign has three bytes: the 1,024th is in the middle of one. */
const LONGER_SYMBOL = '€'.repeat(1_000);

/** Runtime code, by address. */
const ODD: Readonly<Record<string, string>> = {
  // Says who owns an id; answers everything else with 7, as an ERC-20 does that knows no ERC-165.
  [PUNKS]: answering({ '58178168': Buffer.from(alice.slice(2).padStart(64, '0'), 'hex') }),
  // Counts 100,000 down before it answers with 7: about 2.6 million gas.
  [EXPENSIVE]: counting(100_000),
  // About 20 million gas: more than half of what the node allows a call.
  [COSTLY]: counting(770_000),
  // About 78 million gas: more than the node allows.
  [BOUNDLESS]: counting(3_000_000),
  // Refuses contracts: reverts unless its caller is the origin.
  [SHY]: `0x3332146009575f5ffd5b${RETURN_SEVEN}`,
  [WORDY]: answering({ [NAME]: abiString(LONG_NAME), [SYMBOL]: abiString(LONGER_SYMBOL) }),
  // Valid strings, though not in an encoder's place; one beyond the bytes requested at first.
  [LATE]: answering({ [NAME]: abiString('Late', 96), [SYMBOL]: abiString('LATE', 640) }),
  // Answers with 7 whatever has no argument, and its own balance; any other one burns all gas, or reverts.
  [BURNER]: `0x366004146010576004353014601057fe5b${RETURN_SEVEN}`,
  [REVERTER]: `0x366004146013576004353014601357600080fd5b${RETURN_SEVEN}`,
  // Refuses contracts for arguments other than 0.
  [PARTLY_SHY]: `0x6004351533321417600e575f5ffd5b${RETURN_SEVEN}`,
  // Fails as old compilers' assert does, which uses up the gas of the call.
  [ASSERTING]: '0xfe',
  // Writes to its storage before it answers with 7.
  [WRITER]: `0x6001600055${RETURN_SEVEN}`,
};

let devchain: Devchain;
let balance: RunningBalance;

beforeAll(async () => {
  devchain = await startDevchain();
  for (const [address, code] of Object.entries(ODD))
    await askNode(devchain.url, 'anvil_setCode', address, code);
  await mine(devchain.url);
  balance = await runBalance(devchain.url);
});
afterAll(async () => {
  await balance.stop();
  await devchain.stop();
});

const ask = (token: string, height?: number): ReturnType<RunningBalance['ask']> =>
  balance.ask(
    `/v1/eth-mainnet/balance/single?token_address=${token}&holder=${alice}` +
      (height === undefined ? '' : `&block_height=${height}`),
  );

describe('a contract', () => {
  it('like CryptoPunks, which is an ERC-721 though it looks like an ERC-20, is recognised by its address', async () => {
    const { status, body } = await ask(PUNKS);
    expect([status, body.token_type, body.balance]).toEqual([200, 'erc721', HELD.toString()]);
  });

  it('like CryptoPunks names the owner of an id by its own function', async () => {
    const { body } = await balance.ask(`/v1/eth-mainnet/nft/owner?token_address=${PUNKS}&token_id=7804`);
    expect([body.message, body.owner]).toEqual([undefined, alice]);
  });

  it('like CryptoPunks does not exist before its code', async () => {
    const { status, body } = await ask(PUNKS, CHAIN.story + 5);
    expect([status, body.message]).toEqual([404, expect.stringMatching(/^There is no contract at /)]);
  });

  it.each([
    ['that needs millions of gas for every answer', EXPENSIVE],
    ['that writes when it is read', WRITER],
    ['that needs most of the gas of a call', COSTLY],
    ['that refuses contracts', SHY],
  ])('%s is still a token', async (_what, token) => {
    const { status, body } = await ask(token);
    expect([status, body.token_type, body.balance]).toEqual([200, 'erc20', HELD.toString()]);
  });

  it('that uses too much gas is called that', async () => {
    const { status, body } = await ask(BOUNDLESS);
    expect([status, body.message]).toEqual([
      404,
      expect.stringMatching(
        /^The contract at 0x(?:cb){20} cannot be read as a token at block \d+: it uses too much gas$/i,
      ),
    ]);
  });

  it('that names no allowance is not said to allow nothing', async () => {
    const query = `token_address=${REVERTER}&owner=${alice}&spender=${BOUNDLESS}`;
    const { status, body } = await balance.ask(`/v1/eth-mainnet/allowance/single?${query}`);
    expect([status, body.code, body.message]).toEqual([
      404,
      'not_a_token',
      expect.stringMatching(/ names no allowance at block \d+$/),
    ]);
  });

  it('that burns all gas is asked alone with a few others of a batch at the most', async () => {
    const burners = Array.from({ length: 20 }, (_, i) => `0x${(0xfe00 + i).toString(16).padStart(40, '9')}`);
    for (const address of burners) await askNode(devchain.url, 'anvil_setCode', address, '0xfe');
    await mine(devchain.url);
    const rows = [...burners, TOKENS.uni.address].map((token_address) => ({ token_address, holder: alice }));
    const { body } = await balance.ask('/v1/eth-mainnet/balance/batch', rows);
    const codes = (body as unknown as { error?: { code: string } }[]).map(({ error }) => error?.code);
    // The first is asked with the block, and sixteen others.
    const expected = burners.map((_, i) => (i < 17 ? 'not_a_token' : 'call_too_costly'));
    expect(codes).toEqual([...expected, undefined]);
  });

  it('with long texts gives 1,024 bytes of them, in whole characters', async () => {
    const { body } = await ask(WORDY);
    expect([body.token_name, body.token_symbol]).toEqual([LONG_NAME, '€'.repeat(341)]);
  });

  it('with texts at unusual offsets gives them', async () => {
    const { body } = await ask(LATE);
    expect([body.token_name, body.token_symbol]).toEqual(['Late', 'LATE']);
  });

  it('whose decimals write when they are read has them', async () => {
    expect((await ask(WRITER)).body.token_decimals).toBe(7);
  });

  it.each([
    ['with answers of a megabyte (zeros)', CONTRACTS.huge, [200, '0']],
    ['that burns all gas', CONTRACTS.gasBurner, [404, undefined]],
  ])('%s does not affect concurrent questions', async (_what, odd, expected) => {
    const height = LANDMARKS.slashing;
    const good = [TOKENS.uni, TOKENS.usdt, TOKENS.steth, TOKENS.mkr, TOKENS.bayc, TOKENS.kitties];
    const answers = await Promise.all([
      ...good.flatMap(({ address }) => [ask(odd, height), ask(address, height)]),
      ask(odd, height - 1),
    ]);
    const answered = answers.filter((_, i) => i % 2 === 1).map(({ status, body }) => [status, body.balance]);
    expect(answered).toEqual(
      good.map(({ address }) => [200, ledger.balanceAt(address, alice, height).toString()]),
    );
    const oddly = answers.filter((_, i) => i % 2 === 0).map(({ status, body }) => [status, body.balance]);
    expect(oddly).toEqual(oddly.map(() => expected));
  });

  it('among honest ones in a snapshot harms none of their rows, and ends in time', async () => {
    const uni = TOKENS.uni.address;
    const odd = { [EXPENSIVE]: '7', [WRITER]: '7', [BURNER]: null, [REVERTER]: null, [PUNKS]: '7' };
    const tokens = [BURNER, uni, ...Object.keys(odd).filter((token) => token !== BURNER)];
    const holders = Array.from({ length: 120 }, (_, i) =>
      i % 2 === 0 ? alice : `0x${i.toString(16).padStart(40, '2')}`,
    );
    const query = `token_address=${tokens.join('&token_address=')}`;
    const url = `${balance.url}/v1/eth-mainnet/balance/snapshot?${query}`;
    const { records } = await askSnapshot(url, holders.join('\n'));
    const byToken = (token: string): string => getAddress(token);
    const oddly = Object.fromEntries(Object.entries(odd).map(([token, held]) => [byToken(token), held]));
    const rows = records.slice(1, -1);
    expect(rows.map(({ balances }) => balances)).toEqual(
      holders.map((holder) => {
        const held = holder === alice ? ledger.balanceAt(uni, alice, CHAIN.head).toString() : '0';
        return { ...oddly, [uni]: held };
      }),
    );
    const statuses = (token: string): Set<unknown> =>
      new Set(
        rows.map(
          ({ errors }) => (errors as Record<string, { statusCode: number }>)[byToken(token)]?.statusCode,
        ),
      );
    // The first ones are also read separately, as the single endpoint does; more would only cost time.
    expect(statuses(BURNER)).toEqual(new Set([404, 422]));
    expect(statuses(REVERTER)).toEqual(new Set([404]));
    expect(records.at(-1)).toMatchObject({ record: 'end', holders: 120, errors: 120 });
  });

  it('that rebases returns its balance at each height, exact to the unit', async () => {
    for (const height of LANDMARKS.rebases.flatMap((at) => [at - 1, at, at + 1])) {
      const { body } = await ask(TOKENS.steth.address, height);
      const expected = ledger.balanceAt(TOKENS.steth.address, alice, height).toString();
      expect([height, body.balance]).toEqual([height, expected]);
    }
  });
});

describe('POST call of a contract answers as a plain eth_call does', () => {
  const seven = { values: [HELD.toString()] };
  const resultsOf = async (target: string, args: readonly number[]): Promise<readonly unknown[]> => {
    const { status, body } = await balance.ask('/v1/eth-mainnet/call', {
      target,
      function: 'f(uint256) returns (uint256)',
      args: args.map((argument) => [argument]),
    });
    expect([status, body.message]).toEqual([200, undefined]);
    return body.results as readonly unknown[];
  };
  const refusal = (message: RegExp): unknown => ({
    error: expect.objectContaining({ code: 'call_too_costly', message: expect.stringMatching(message) }),
  });

  it('that refuses contracts, for many rows', async () => {
    const args = Array.from({ length: 40 }, (_, i) => i);
    expect(await resultsOf(SHY, args)).toEqual(args.map(() => seven));
    expect(await resultsOf(PARTLY_SHY, args)).toEqual(args.map(() => seven));
  });

  it('that writes before it answers', async () => {
    expect(await resultsOf(WRITER, [1, 2])).toEqual([seven, seven]);
  });

  it('that fails with an invalid instruction: it has reverted, and is not too costly', async () => {
    const reverted = { reverted: { reason: null, data: '0x' } };
    const results = await resultsOf(ASSERTING, Array(20).fill(1));
    expect(results.slice(0, 16)).toEqual(Array(16).fill(reverted));
    // The rest was not asked by itself.
    expect(results.slice(16)).toEqual(
      Array(4).fill(refusal(/^the call used up its gas of 1,000,000; among fewer rows it gets more$/)),
    );
  });

  it('unless it uses more gas than a row may', async () => {
    expect(await resultsOf(BOUNDLESS, [1])).toEqual([refusal(/^the call used up its gas of 20,000,000$/)]);
  });

  it.each([1, 9, 17, 256])('but for the precompile at %i, which has no functions', async (number) => {
    const target = `0x${number.toString(16).padStart(40, '0')}`;
    const question = { target, function: 'f() returns (uint256)', args: [[]] };
    const { status, body } = await balance.ask('/v1/eth-mainnet/call', question);
    expect([status, body.message]).toEqual([
      404,
      expect.stringMatching(
        /^There is no contract at 0x0{36}\w{4} at block \d+; .* precompiles, .* no functions$/,
      ),
    ]);
  });
});
