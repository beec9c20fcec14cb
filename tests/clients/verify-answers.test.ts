/** Answers of the API with `proof=storage`, as the client's verifier judges them. */
import { beforeAll, expect, it } from '@jest/globals';
import { verify } from '@hindsight/client/verify';
import { buildPlan } from '@hindsight/devchain/plan.ts';
import { HOLDERS, TOKENS, UNUSED_ADDRESS } from '@hindsight/devchain/world.ts';
import { makeFastKey } from '../support/fast-key.ts';
import { sharedHindsight } from '../support/shared-hindsight.ts';

interface ProvenAnswer {
  readonly [field: string]: unknown;
  readonly block_hash: string;
}

const BLOCK = 17_999_900;
const { alice, market } = HOLDERS;
const UNI = TOKENS.uni.address;
const USDC = TOKENS.usdc.address;
const { ledger } = buildPlan();

let ask: (path: string, query: Readonly<Record<string, string>>) => Promise<ProvenAnswer>;
beforeAll(async () => {
  const { url, dataDir } = await sharedHindsight(process.env);
  const headers = { 'x-api-key': await makeFastKey(dataDir) };
  ask = async (path, query) => {
    const text = new URLSearchParams({ block_height: String(BLOCK), proof: 'storage', ...query }).toString();
    const answer = await fetch(`${url}/v1/eth-mainnet/${path}?${text}`, { headers });
    const body = (await answer.json()) as ProvenAnswer;
    expect([path, answer.status, body.message]).toEqual([path, 200, undefined]);
    return body;
  };
});

it.each([
  ['ether', 'balance/native', { holder: alice }, ledger.nativeAt(alice, BLOCK)],
  ['a balance', 'balance/single', { token_address: UNI, holder: alice }, ledger.balanceAt(UNI, alice, BLOCK)],
  [
    'a balance behind a proxy, by a name',
    'balance/single',
    { token_address: USDC, holder: 'alice.eth' },
    ledger.balanceAt(USDC, alice, BLOCK),
  ],
  [
    'an allowance',
    'allowance/single',
    { token_address: UNI, owner: alice, spender: market },
    ledger.allowanceAt(UNI, alice, market, BLOCK),
  ],
])('confirms the API’s answer for %s', async (_what, path, query, amount) => {
  const answer = await ask(path, query);
  expect(verify(answer, { blockHash: answer.block_hash })).toMatchObject({ verified: true, amount });
});

it('confirms the API’s answer for a supply', async () => {
  const answer = await ask('supply', { token_address: UNI });
  const amount = BigInt(answer.total_supply as string);
  expect(verify(answer, { blockHash: answer.block_hash })).toMatchObject({ verified: true, amount });
});

it('confirms a balance of nothing, by the place of another answer', async () => {
  const other = await ask('balance/single', { token_address: UNI, holder: alice });
  const known = verify(other, { blockHash: other.block_hash });
  const slot = known.verified ? known.slot : null;
  expect(slot).toMatchObject({ index: 0n, layout: 'solidity' });
  const nothing = await ask('balance/single', { token_address: UNI, holder: UNUSED_ADDRESS });
  const trusted = { blockHash: nothing.block_hash };
  expect(verify(nothing, trusted)).toMatchObject({ verified: false, reason: 'slot_unknown' });
  const place = { index: slot?.index ?? undefined, layout: slot?.layout };
  expect(verify(nothing, { ...trusted, ...place })).toMatchObject({ verified: true, amount: 0n });
});
