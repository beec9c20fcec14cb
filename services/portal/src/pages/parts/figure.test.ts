import { describe, expect, it } from '@jest/globals';
import { buildPlan } from '@hindsight/devchain/plan.ts';
import { HOLDERS, TOKENS } from '@hindsight/devchain/world.ts';
import { stepsFigure } from './figure.ts';

const { ledger } = buildPlan();
const wethOf = (block: number) => ledger.balanceAt(TOKENS.weth.address, HOLDERS.trent, block);

describe('the figure of the landing page', () => {
  const markup = stepsFigure().toString();

  it('shows the development chain’s balance at the block of the red line', () => {
    const digits = wethOf(18_000_000).toString();
    expect(markup).toContain(`${digits.slice(0, -18)}.${digits.slice(-18)} WETH`);
  });

  it('steps where the balance changed, by the right amount', () => {
    const line = /steps-line" d="([^"]*)"/.exec(markup)?.[1] ?? '';
    const steps = [...line.matchAll(/H(\d+)V(\d+)/g)].map(([, x, y]) => [Number(x), Number(y)]);
    const changes = [];
    for (let block = 17_999_855; block <= 18_000_150; block++) {
      if (wethOf(block) === wethOf(block - 1)) continue;
      const hundredths = Math.round(Number(wethOf(block) / 10n ** 14n) / 100);
      changes.push([(block - 17_999_850) * 3, Math.round(300 - (hundredths / 6200) * 300)]);
    }
    expect(steps).toEqual(changes);
  });
});
