/** Answers with proofs, as the client asks for them and verifies them. */
import { expect, it } from '@jest/globals';
import { createClient } from '@hindsight/client';
import { verify } from '@hindsight/client/verify';
import { verifySnapshot } from '@hindsight/client/verify-snapshot';
import { HOLDERS, LANDMARKS, TOKENS } from '@hindsight/devchain/world.ts';
import { makeFastKey } from '../support/fast-key.ts';
import { sharedHindsight } from '../support/shared-hindsight.ts';

const { alice: owner, market: spender } = HOLDERS;
const { uni, usdt } = TOKENS;

it('balances, allowances and supplies have proofs where they are asked for', async () => {
  const { url, dataDir } = await sharedHindsight(process.env);
  const client = createClient({ url, apiKey: await makeFastKey(dataDir) });
  const asked = { block: LANDMARKS.aliceIsSpent[0] + 1, proof: 'storage' } as const;
  const { block_hash: blockHash } = await client.block({ block: asked.block });
  const answers = [
    await client.balance.at({ ...asked, token: 'native', holder: 'alice.eth' }),
    await client.balance.at({ ...asked, token: usdt.address, holder: owner }),
    await client.allowance.at({ ...asked, token: uni.address, owner, spender }),
    await client.supply({ ...asked, token: usdt.address }),
  ];
  expect(answers.map((answer) => verify(answer, { blockHash }))).toMatchObject([
    { verified: true, kind: 'native', slot: null },
    { verified: true, kind: 'balance', slot: { layout: 'solidity', index: 1n } },
    { verified: true, kind: 'allowance', slot: { layout: 'solidity', index: 1n } },
    { verified: true, kind: 'supply', slot: { layout: 'variable', index: 0n } },
  ]);
  const plain = await client.supply({ block: asked.block, token: usdt.address });
  expect(plain).not.toHaveProperty('proof');
});

it('the records of a snapshot with proofs are verified, with those of several requests', async () => {
  const { url, dataDir } = await sharedHindsight(process.env);
  const client = createClient({ url, apiKey: await makeFastKey(dataDir) });
  const asked = { token: usdt.address, block: LANDMARKS.aliceIsSpent[0] + 1, proof: 'storage' } as const;
  const records: unknown[] = [];
  const question = { ...asked, chunk: 2, onRecord: (record: unknown) => records.push(record) };
  const rows = await Array.fromAsync(client.snapshot([owner, 'alice.eth', spender], question));
  const { block_hash: blockHash } = await client.block({ block: asked.block });
  expect(await verifySnapshot(records, { blockHash })).toEqual({
    verified: true,
    refusal: null,
    rows: 3,
    verifiedRows: 3,
    sum: rows.reduce((sum, { balance }) => sum + balance!, 0n),
  });
});
