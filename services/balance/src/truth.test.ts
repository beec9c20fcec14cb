/** Answers against two sources that share no code with ours: an eth_call through another client, and the seeding plan's ledger. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { askAll, callQuestion } from '@hindsight/devchain/client.ts';
import { startDevchain, type Devchain } from '@hindsight/devchain/devchain.ts';
import { buildPlan } from '@hindsight/devchain/plan.ts';
import { CHAIN, HOLDERS, TOKENS } from '@hindsight/devchain/world.ts';
import { runBalance, type RunningBalance } from './testing/run-balance.ts';

const STEP = 23;
const { ledger } = buildPlan();

let devchain: Devchain;
let balance: RunningBalance;

beforeAll(async () => {
  devchain = await startDevchain();
  balance = await runBalance(devchain.url);
});

afterAll(async () => {
  await balance.stop();
  await devchain.stop();
});

interface Question {
  readonly token: string;
  readonly holder: string;
  readonly height: number;
}

/** Every token that has single balances, every holder, heights spread over the chain. */
function questions(): Question[] {
  return Object.values(TOKENS)
    .filter(({ standard }) => standard !== 'erc1155')
    .flatMap(({ address: token, since }) =>
      Object.values(HOLDERS).flatMap((holder, i) => {
        const first = Math.max(CHAIN.genesis, since) + (i % STEP) + 8;
        const heights = Array.from({ length: 15 }, (_, n) => first + n * STEP).filter((n) => n <= CHAIN.head);
        return heights.map((height) => ({ token, holder, height }));
      }),
    );
}

it('every balance is what the chain and the ledger say', async () => {
  const asked = questions();
  expect(asked.length).toBeGreaterThanOrEqual(500);
  const calls = asked.map(({ token, holder, height }) =>
    callQuestion(token, `0x70a08231${holder.slice(2).toLowerCase().padStart(64, '0')}`, height),
  );
  const raw = await askAll(devchain.url, calls);
  const expected = asked.map(({ token, holder, height }, i) => {
    const called = BigInt(raw[i]!.result as string);
    expect(called).toBe(ledger.balanceAt(token, holder, height));
    return called.toString();
  });
  const answers: unknown[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let i = next++; i < asked.length; i = next++) {
      const { token, holder, height } = asked[i]!;
      const { body } = await balance.ask(
        `/v1/eth-mainnet/balance/single?token_address=${token}&holder=${holder}&block_height=${height}`,
      );
      answers[i] = { balance: body.balance, at: body.checked_at_block };
    }
  };
  await Promise.all(Array.from({ length: 16 }, worker));
  expect(answers).toEqual(asked.map(({ height }, i) => ({ balance: expected[i], at: height })));
});
