import { describe, expect, it } from '@jest/globals';
import { computeAddress, parseUnits } from 'ethers';
import { keyOf } from './keys.ts';
import { EXAMPLES } from './examples.ts';
import { buildPlan } from './plan.ts';
import { CHAIN, ENS_NAMES, HOLDERS, LANDMARKS, TOKENS, type HolderName } from './world.ts';

const plan = buildPlan();
const { ledger } = plan;
const { alice, bob, carol, market, treasury, vault } = HOLDERS;
const mainnet18Million = 1_693_066_895;

const timeOf = (block: number): number =>
  plan.blocks.find(({ number }) => number === block)?.timestamp ?? plan.genesis.timestamp;
const gapsOf = (from: number, to: number): number[] =>
  Array.from({ length: to - from }, (_, i) => timeOf(from + i + 1) - timeOf(from + i));

it.each(EXAMPLES)('has an amount to show for "$says"', ({ path }) => {
  const { searchParams: asked } = new URL(path, 'http://localhost');
  const [token, holder] = [asked.get('token_address')!, asked.get('holder')!];
  const height = Number(asked.get('block_height') ?? CHAIN.head);
  expect(ledger.balanceAt(token, holder, height)).toBeGreaterThan(0n);
});

describe('the plan', () => {
  it('is the same every time', () => {
    const again = buildPlan();
    expect(again.blocks).toEqual(plan.blocks);
    expect(again.ledger.entries).toEqual(ledger.entries);
  });

  it('goes from genesis to head without a gap in numbers', () => {
    expect(plan.blocks.map((block) => block.number)).toEqual(
      Array.from({ length: CHAIN.head - CHAIN.genesis }, (_, i) => CHAIN.genesis + 1 + i),
    );
    expect(plan.blocks.at(-1)!.timestamp).toBe(CHAIN.headTime);
  });

  it("has mainnet's slots of 12 seconds, a few of them missed, and mainnet's time at block 18,000,000", () => {
    const gaps = gapsOf(CHAIN.story, CHAIN.head);
    expect(new Set(gaps)).toEqual(new Set([12, 24, 36, 48]));
    expect(gaps.filter((gap) => gap > 12)).toHaveLength(8);
    expect(timeOf(18_000_000)).toBe(mainnet18Million);
  });

  it('has a block a day before that, from before the year 2022 on', () => {
    const { genesis, genesisTime, story, storyTime } = CHAIN;
    expect(plan.genesis).toMatchObject({ number: genesis, timestamp: genesisTime });
    expect(timeOf(story)).toBe(storyTime);
    expect(new Set(gapsOf(genesis, story))).toEqual(new Set([86_400]));
    expect(genesisTime).toBeLessThan(Date.UTC(2022, 0, 1) / 1_000);
  });

  it('fits every block into the gas limit', () => {
    const fullest = Math.max(...plan.blocks.map((b) => b.transactions.reduce((gas, t) => gas + t.gas, 0)));
    expect(fullest).toBeLessThanOrEqual(30_000_000);
  });
});

describe('the world', () => {
  it('has holders whose keys are known, so that any node can take their transactions', () => {
    for (const name of Object.keys(HOLDERS) as HolderName[]) {
      expect([name, computeAddress(keyOf(name))]).toEqual([name, HOLDERS[name]]);
    }
  });

  it('has at least 20 holders whose balances change in at least three tokens', () => {
    const tokensOf = new Map<string, Map<string, number>>();
    for (const entry of ledger.entries) {
      if (entry.kind !== 'balance') continue;
      const changes = tokensOf.get(entry.holder) ?? new Map<string, number>();
      tokensOf.set(entry.holder, changes.set(entry.token, (changes.get(entry.token) ?? 0) + 1));
    }
    const busy = [...tokensOf.values()].filter(
      (changes) => [...changes.values()].filter((count) => count >= 2).length >= 3,
    );
    expect(busy.length).toBeGreaterThanOrEqual(20);
  });

  it('has changes in every token and in ether, and balances that return to zero', () => {
    const balances = ledger.entries.filter((entry) => entry.kind === 'balance' || entry.kind === 'item');
    const changed = new Set(balances.map((entry) => entry.token));
    expect(changed).toEqual(new Set(Object.values(TOKENS).map((token) => token.address)));
    expect(balances.filter((entry) => entry.value === 0n).length).toBeGreaterThan(10);
    expect(ledger.entries.filter((entry) => entry.kind === 'native').length).toBeGreaterThan(100);
  });
});

describe('the year 2022', () => {
  const { yvonne } = HOLDERS;
  const lastOf = (day: string): number => {
    const after = (Date.parse(day) + 86_400_000) / 1_000;
    return plan.blocks.findLast(({ timestamp }) => timestamp < after)!.number;
  };

  it.each(['2022-12-31', '2021-12-20'])('has a payment of both kinds in the block of %s', (day) => {
    const block = lastOf(day);
    const both = (at: number) => [
      ledger.nativeAt(yvonne, at),
      ledger.balanceAt(TOKENS.mkr.address, yvonne, at),
    ];
    const [ether, mkr] = both(block);
    expect([ether! > both(block - 1)[0]!, mkr! > both(block - 1)[1]!]).toEqual([true, true]);
  });

  it('begins with 5 ether and 40 MKR of yvonne, and ends with 8.75 and 45', () => {
    const held = ['2021-12-31', '2022-12-31'].map((day) => [
      ledger.nativeAt(yvonne, lastOf(day)),
      ledger.balanceAt(TOKENS.mkr.address, yvonne, lastOf(day)),
    ]);
    expect(held).toEqual([
      [parseUnits('5'), parseUnits('40')],
      [parseUnits('8.75'), parseUnits('45')],
    ]);
  });

  it('leaves the story alone: only these two send anything before it, and neither sends anything in it', () => {
    const { zoe, market } = HOLDERS;
    const senders = (from: number, to: number) =>
      new Set(
        plan.blocks
          .filter(({ number }) => number > from && number <= to)
          .flatMap(({ transactions }) => transactions.map((sent) => sent.from)),
      );
    expect(senders(CHAIN.genesis, CHAIN.story)).toEqual(new Set([yvonne, zoe]));
    const [later, here] = [senders(CHAIN.story, CHAIN.head), [yvonne, zoe, market]];
    expect(here.filter((holder) => later.has(holder))).toEqual([market]);
  });
});

describe('the landmarks', () => {
  it("raise alice's allowance to market, use it up, raise it again and revoke it", () => {
    const { aliceApproves, aliceIsSpent, aliceApprovesAgain, aliceRevokes } = LANDMARKS;
    const heights = [aliceApproves - 1, aliceApproves, ...aliceIsSpent, aliceApprovesAgain, aliceRevokes];
    const allowances = heights.map((block) => ledger.allowanceAt(TOKENS.uni.address, alice, market, block));
    expect(allowances).toEqual(['0', '1000', '750', '450', '0', '77', '0'].map((uni) => parseUnits(uni)));
  });

  it('move treasury.eth and all its money at block 18,000,000', () => {
    const [before, after] = [17_999_999, 18_000_000];
    expect(ledger.nameAt('treasury.eth', before)).toBe(treasury);
    expect(ledger.nameAt('treasury.eth', after)).toBe(vault);
    expect(ledger.balanceAt(TOKENS.usdc.address, treasury, before)).toBe(parseUnits('1250000', 6));
    expect(ledger.balanceAt(TOKENS.usdc.address, treasury, after)).toBe(0n);
    expect(ledger.balanceAt(TOKENS.usdc.address, vault, after)).toBe(parseUnits('1250000', 6));
    expect(ledger.nativeAt(treasury, after)).toBe(0n);
  });

  it('remove bob.eth and bring it back, pointing to carol', () => {
    const { bobName, bobNameRemoved, bobNameReturns } = LANDMARKS;
    const heights = [bobName - 1, bobName, bobNameRemoved, bobNameReturns, CHAIN.head];
    expect(heights.map((block) => ledger.nameAt('bob.eth', block))).toEqual([null, bob, null, carol, carol]);
  });

  it('leave every name but the off-chain one with an address at the head', () => {
    const nowhere = ENS_NAMES.filter((name) => ledger.nameAt(name, CHAIN.head) === null);
    expect(nowhere).toEqual(['offchain.eth']);
  });

  it('rebase stETH for holders who did nothing, downwards at the slashing', () => {
    const supply = (block: number) =>
      Object.values(HOLDERS).reduce((sum, h) => sum + ledger.balanceAt(TOKENS.steth.address, h, block), 0n);
    const { slashing, rebases } = LANDMARKS;
    expect(supply(slashing)).toBeLessThan(supply(slashing - 1));
    expect(supply(rebases[0])).toBeGreaterThan(supply(rebases[0] - 1));
  });
});
