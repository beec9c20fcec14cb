/** Unusual contracts, on a chain where they can be deployed. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ask as askNode } from '@hindsight/devchain/client.ts';
import { mine } from '@hindsight/devchain/control.ts';
import { startDevchain, type Devchain } from '@hindsight/devchain/devchain.ts';
import { buildPlan } from '@hindsight/devchain/plan.ts';
import { CHAIN, CONTRACTS, HOLDERS, LANDMARKS, TOKENS } from '@hindsight/devchain/world.ts';
import { runBalance, type RunningBalance } from './support/run-balance.ts';

const { ledger } = buildPlan();
const { alice } = HOLDERS;
const PUNKS = '0xb47e3cd837dDF8e4c57F05d70Ab865de6e193BBB';
const EXPENSIVE = `0x${'ee'.repeat(20)}`;
const WRITER = `0x${'dd'.repeat(20)}`;
const HELD = 7n;
const RETURN_SEVEN = '600760005260206000f3';

/** Runtime code, by address. */
const ODD: Readonly<Record<string, string>> = {
  // Answers everything with 7, as an ERC-20 does that knows no ERC-165.
  [PUNKS]: `0x${RETURN_SEVEN}`,
  // Counts 100,000 down before it answers with 7: about 2.6 million gas.
  [EXPENSIVE]: `0x620186a05b6001900380600457${RETURN_SEVEN}`,
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

  it('like CryptoPunks does not exist before its code', async () => {
    const { status, body } = await ask(PUNKS, CHAIN.genesis + 5);
    expect([status, body.message]).toEqual([404, expect.stringMatching(/^There is no contract at /)]);
  });

  it.each([
    ['that needs millions of gas for every answer', EXPENSIVE],
    ['that writes when it is read', WRITER],
  ])('%s is still a token', async (_what, token) => {
    const { status, body } = await ask(token);
    expect([status, body.token_type, body.balance]).toEqual([200, 'erc20', HELD.toString()]);
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

  it('that rebases returns its balance at each height, exact to the unit', async () => {
    for (const height of LANDMARKS.rebases.flatMap((at) => [at - 1, at, at + 1])) {
      const { body } = await ask(TOKENS.steth.address, height);
      const expected = ledger.balanceAt(TOKENS.steth.address, alice, height).toString();
      expect([height, body.balance]).toEqual([height, expected]);
    }
  });
});
