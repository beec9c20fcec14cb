/** A share of `npm run truth:orders`: the ends of orders of every kind. */
import { expect, it } from '@jest/globals';
import { describeOnInstalled } from '@hindsight/tools/servers/suite.ts';
import { KINDS, tryEnds } from './trial.ts';

const ORDERS = 4 * KINDS.length;
/** Two kinds stay open. */
const ENDED = (ORDERS * 14) / KINDS.length;

await describeOnInstalled(
  'the ends of many orders',
  { name: 'uniswapx-sdk', env: process.env },
  (sdkFolder) => {
    it('are told as the chain has them, with the amounts', async () => {
      const { kinds, told, twice } = await tryEnds(sdkFolder, ORDERS);
      expect([...kinds.keys()]).toEqual([...new Set(KINDS)]);
      for (const [kind, tally] of kinds) {
        const { orders } = tally;
        expect([kind, tally]).toEqual([
          kind,
          { orders, right: orders, wrong: 0, wrongAmounts: 0, withheldAmounts: 0 },
        ]);
      }
      expect([told, twice]).toEqual([ENDED, 0]);
    }, 240_000);
  },
);
